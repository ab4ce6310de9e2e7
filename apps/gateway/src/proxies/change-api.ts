import { SessionChange } from '@turnpike/contract/session';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';
import { session } from '../sessions/session-api.ts';

/** OpenAPI descriptions of changes of a session. */

const headers = Type.Object({
  'x-proxy': Type.Optional(
    Type.String({ description: 'The saved proxy that it uses now: `name:` and its name' }),
  ),
});
const common = {
  tag: 'Sessions',
  security: ['apiKey'],
  params: Type.Object({ id: Type.String({ description: 'The session id or the CDP id' }) }),
  answers: { 200: { description: 'The session as it is now.', headers, example: session } },
} as const;

export const changeSessionApi: ApiDescription = {
  ...common,
  id: 'changeBrowser',
  summary: "Change a session's name and tags, or the proxy of a running one",
  description:
    '`name` and `tags` can be changed while the session is readable, whatever its state.\n\n' +
    'The new proxy is checked first. From then on new connections use it, and open ones through the proxy before are ' +
    'cut. The session, its pages, its CDP URL, its rules and the proxies of its contexts stay; so do its time zone and ' +
    'languages. If the proxy fails, the answer says why and nothing has changed. Changes of one session come one after ' +
    'the other.',
  body: json(SessionChange, { proxy: 'name:shop-de', name: 'Checkout test', tags: ['nightly'] }),
  errors: [
    'badRequest',
    'proxyRequired',
    'proxyInvalid',
    'sessionNotFound',
    'sessionEnded',
    'proxyUnreachable',
    'hostSilent',
    'busy',
  ],
};

export const rotateApi: ApiDescription = {
  ...common,
  id: 'rotateProxy',
  summary: 'Give a running session another exit',
  description:
    'A session of a pool gets another proxy of the pool than it has now. One of a saved proxy with `{session}` in its ' +
    'URL gets another session there; with `proxy_key`, later creates with that key get it too. All else is as when its ' +
    'proxy is changed.',
  errors: [
    'nothingToRotate',
    'proxyInvalid',
    'sessionNotFound',
    'sessionEnded',
    'proxyUnreachable',
    'hostSilent',
    'busy',
  ],
};
