import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { rawBody, readBodies } from './json-body.ts';

const maxMs = 50;

/** Sends a head that promises ten bytes, and five of them; the rest when that is told. */
async function slowly(path: string): Promise<{ sendRest: () => void; answer: Promise<string> }> {
  const app = fastify();
  readBodies(app, maxMs);
  app.post('/whole', async (request) => rawBody(request));
  const streamed = Promise.withResolvers<void>();
  app.post('/streamed', { config: { auth: 'none', streamedBody: true } }, async (request) => {
    streamed.resolve();
    return text(request.body as NodeJS.ReadableStream);
  });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\nfirst`);
  const answer = text(socket).finally(() => app.close());
  if (path === '/streamed') await streamed.promise;
  return { sendRest: () => socket.write('later'), answer };
}

test('a body that does not come is not waited for, unless the route reads it itself', async () => {
  const streamed = await slowly('/streamed');
  const whole = await slowly('/whole');
  expect(await whole.answer).toMatch(/^HTTP\/1.1 408 /);
  streamed.sendRest();
  expect(await streamed.answer).toMatch(/^HTTP\/1.1 200 OK[\s\S]*firstlater$/);
});

test.each([
  ['none of', ''],
  ['all of', 'ten bytes.'],
])('a client that goes away when it has sent %s a body leaves no request waiting', async (_, body) => {
  const app = fastify();
  readBodies(app, 60_000);
  app.addHook('onRequest', (request, _reply, done) => {
    request.raw.once('close', done);
  });
  const failed = Promise.withResolvers<Error>();
  app.setErrorHandler((error: Error) => failed.resolve(error));
  app.post('/', async () => 'read');
  const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(url.port), url.hostname);
  socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n');
  await once(socket, 'data');
  socket.end(body, () => socket.destroy());
  // The client's error, not ours.
  expect(await failed.promise).toMatchObject({ message: 'aborted', statusCode: 400 });
  await app.close();
});
