import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { accountPageRoutes } from '@turnpike/contract/dashboard/routes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type FilesRoute, ownFilesUrl } from '../files/caller-files.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { accountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';

/** How long the host, or the page that uploads, may send nothing. */
const silenceMs = 20_000;

/** How long to keep reading an upload that was refused. */
const readOnMs = 5000;

/**
 * Files of a running session. A page may call its own origin only, so its requests are passed on to the host where
 * the browser runs.
 */
export function filePageRoutes(app: Routes, gateway: Gateway): void {
  const { send } = typedRoutes(app, accountPageRoutes, '/dashboard/api');

  send('GET /sessions/:id/files', accountPage, (request, reply) => passOn(request, reply, 'GET'));

  send(
    'POST /sessions/:id/files/:name',
    { config: { ...accountPage.config, bodyType: 'application/octet-stream', streamedBody: true } },
    (request, reply) => passOn(request, reply, 'PUT', request.body as Readable),
  );

  send('POST /sessions/:id/files/:name/remove', accountPage, (request, reply) =>
    passOn(request, reply, 'DELETE'),
  );

  async function passOn(
    request: FastifyRequest<FilesRoute>,
    reply: FastifyReply,
    method: 'GET' | 'PUT' | 'DELETE',
    content?: Readable,
  ): Promise<FastifyReply> {
    const url = await ownFilesUrl(gateway, request);
    const answer = await ask(url, method, disconnectSignal(reply), content).catch((cause) => {
      throw new ApiError('hostSilent', { cause });
    });
    if (content) await readOut(content);
    return reply
      .code(answer.statusCode ?? 502)
      .type('application/json; charset=utf-8')
      .send(answer);
  }
}

/** Reads the rest of an upload: a browser that is still sending may not read the answer. */
async function readOut(content: Readable): Promise<void> {
  content.unpipe();
  content.resume();
  await finished(content, { signal: AbortSignal.timeout(readOnMs) }).catch(() => {});
}

/** Not by `fetch`, which would end the page's connection when the host refuses a file midway. */
async function ask(
  url: string,
  method: string,
  signal: AbortSignal,
  content?: Readable,
): Promise<IncomingMessage> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const sent = send(url, { method, signal, agent: false, timeout: silenceMs });
  sent.once('timeout', () => sent.destroy(new Error(`it was silent for ${silenceMs} ms`)));
  const answered = once(sent, 'response', { signal });
  // An error may come after the answer, when nothing waits for it.
  sent.on('error', () => {});
  if (content) {
    content.pipe(sent);
  } else sent.end();
  const [answer] = (await answered) as [IncomingMessage];
  answer.once('end', () => sent.destroy());
  return answer;
}
