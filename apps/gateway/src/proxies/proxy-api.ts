import { savedNamePattern } from '@turnpike/contract/ids';
import {
  DefaultProxy,
  maxPoolMembers,
  maxProxyPools,
  maxSavedProxies,
  NewProxyPool,
  NewSavedProxy,
  ProxyCheckRequest,
  ProxyPoolChange,
  SavedProxyChange,
} from '@turnpike/contract/proxies';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of saved proxies, pools and the default. */

const common = { tag: 'Proxies', security: ['apiKey'] } as const;
const params = Type.Object({ name: Type.String({ pattern: savedNamePattern.source }) });
const at = '2026-11-18T12:00:00.000Z';
const proxy = {
  name: 'shop-de',
  url: 'http://user-country-{country}-session-{session}:***@proxy.example:8000',
  tags: ['residential'],
  country: 'DE',
  notes: null,
  pricePerGb: 4.5,
  isDefault: true,
  hasCa: false,
  trustCaInBrowser: false,
  hasClientCertificate: false,
  health: {
    state: 'healthy',
    since: at,
    checkedAt: at,
    latencyMs: 84,
    exitIp: '203.0.113.7',
    exitCountry: 'DE',
    lastError: null,
  },
  createdAt: at,
  updatedAt: at,
};
const pool = {
  name: 'de',
  policy: 'round_robin',
  members: [
    { name: 'shop-de', state: 'healthy' },
    { name: 'shop-de-2', state: 'failing' },
  ],
  isDefault: false,
  createdAt: at,
  updatedAt: at,
};

export const proxiesApi: ApiDescription = {
  ...common,
  id: 'listProxies',
  summary: 'List saved proxies',
  answers: { 200: { description: 'All saved proxies, by name.', example: { proxies: [proxy] } } },
  errors: [],
};

export const saveProxyApi: ApiDescription = {
  ...common,
  id: 'saveProxy',
  summary: 'Save a proxy',
  description: [
    'A create takes it as `proxy=name:shop-de`. Its URL is stored sealed, and its password is never shown again.',
    'The user name and the password may have the placeholders `{country}`, `{session}` and `{key}`:',
    '`{country}` is `proxy_country` of the create, or the saved country, in lower case. `{session}` is ten random',
    'letters and digits, or, with `proxy_key`, always the same for the same key. `{key}` is `proxy_key` itself.',
    `An account has up to ${maxSavedProxies} proxies.`,
  ].join(' '),
  body: json(NewSavedProxy, {
    name: 'shop-de',
    url: 'http://user-country-{country}-session-{session}:password@proxy.example:8000',
    country: 'DE',
    tags: ['residential'],
    pricePerGb: 4.5,
  }),
  answers: { 200: { description: 'The proxy, which creates can name now.', example: proxy } },
  errors: ['badRequest', 'proxyInvalid', 'proxyNameTaken', 'tooManyProxies'],
};

export const proxyApi: ApiDescription = {
  ...common,
  id: 'getProxy',
  summary: 'Read a saved proxy',
  params,
  answers: { 200: { description: 'The proxy, and how it is.', example: proxy } },
  errors: ['notFound'],
};

export const changeProxyApi: ApiDescription = {
  ...common,
  id: 'changeProxy',
  summary: 'Change a saved proxy',
  description:
    'What is not given stays. Null takes a value away. Sessions that run keep the proxy as it was when they were opened.',
  params,
  body: json(SavedProxyChange, { pricePerGb: 3.9, notes: null }),
  answers: { 200: { description: 'The proxy as it is now.', example: proxy } },
  errors: ['badRequest', 'proxyInvalid', 'notFound', 'proxyNameTaken'],
};

export const deleteProxyApi: ApiDescription = {
  ...common,
  id: 'deleteProxy',
  summary: 'Delete a saved proxy',
  description: 'Refused while a session uses it, while it is in a pool, and while it is the default.',
  params,
  answers: { 200: { description: 'The proxy is deleted.', example: { name: 'shop-de' } } },
  errors: ['notFound', 'proxyInUse'],
};

export const checkProxyApi: ApiDescription = {
  ...common,
  id: 'checkProxy',
  summary: 'Check a saved proxy now',
  description:
    'Dials it, asks where it comes out if the operator has set a URL for that, and fetches `url` through it if you name ' +
    'one. A proxy that fails is an answer too, with `ok: false` and the reason. What is found is stored with the proxy.',
  params,
  body: json(ProxyCheckRequest, { url: 'https://example.com/' }),
  answers: {
    200: {
      description: 'How the proxy is.',
      example: {
        ok: true,
        latencyMs: 84,
        exitIp: '203.0.113.7',
        exitCountry: 'DE',
        fetched: { status: 200, firstByteMs: 230 },
        error: null,
        checkedAt: at,
      },
    },
  },
  errors: ['badRequest', 'notFound', 'busy'],
};

export const poolsApi: ApiDescription = {
  ...common,
  id: 'listProxyPools',
  summary: 'List pools',
  answers: { 200: { description: 'All pools, by name.', example: { pools: [pool] } } },
  errors: [],
};

export const savePoolApi: ApiDescription = {
  ...common,
  id: 'saveProxyPool',
  summary: 'Save a pool',
  description: [
    'A pool is a list of saved proxies, of which each create with `proxy=pool:de` gets one. The policy says which:',
    '`round_robin` the next in their order, `least_sessions` the one with the fewest running sessions, `least_bytes`',
    'the one with the fewest bytes in 30 days, `random` any, and `sticky` the same for the same `proxy_key`.',
    'Proxies that fail are left out while others work. The header `x-proxy` of the create names the one that was taken.',
    `An account has up to ${maxProxyPools} pools, each with up to ${maxPoolMembers} proxies.`,
  ].join(' '),
  body: json(NewProxyPool, { name: 'de', policy: 'round_robin', members: ['shop-de', 'shop-de-2'] }),
  answers: { 200: { description: 'The pool, which creates can name now.', example: pool } },
  errors: ['badRequest', 'proxyNameTaken', 'tooManyProxies'],
};

export const poolApi: ApiDescription = {
  ...common,
  id: 'getProxyPool',
  summary: 'Read a pool',
  params,
  answers: { 200: { description: 'The pool, and how its proxies are.', example: pool } },
  errors: ['notFound'],
};

export const changePoolApi: ApiDescription = {
  ...common,
  id: 'changeProxyPool',
  summary: 'Change a pool',
  description:
    'What is not given stays. `members` replaces the whole list; keys of proxies that are no longer in it get another.',
  params,
  body: json(ProxyPoolChange, { policy: 'least_sessions' }),
  answers: { 200: { description: 'The pool as it is now.', example: pool } },
  errors: ['badRequest', 'notFound', 'proxyNameTaken'],
};

export const deletePoolApi: ApiDescription = {
  ...common,
  id: 'deleteProxyPool',
  summary: 'Delete a pool',
  description: 'Its proxies stay, and sessions that run go on. Refused while it is the default.',
  params,
  answers: { 200: { description: 'The pool is deleted.', example: { name: 'de' } } },
  errors: ['notFound', 'proxyInUse'],
};

export const defaultProxyApi: ApiDescription = {
  ...common,
  id: 'getDefaultProxy',
  summary: 'Read the default proxy',
  answers: {
    200: { description: 'What a create without `proxy` uses.', example: { proxy: 'name:shop-de' } },
  },
  errors: [],
};

export const putDefaultProxyApi: ApiDescription = {
  ...common,
  id: 'putDefaultProxy',
  summary: 'Set the default proxy',
  description:
    'A saved proxy or a pool, which a create without `proxy` uses from then on. Null takes it away: then a create ' +
    'without `proxy` is refused with `PROXY_REQUIRED`.',
  body: json(DefaultProxy, { proxy: 'name:shop-de' }),
  answers: { 200: { description: 'It is used from now on.', example: { proxy: 'name:shop-de' } } },
  errors: ['badRequest'],
};
