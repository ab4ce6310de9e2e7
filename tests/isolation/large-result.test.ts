// @module-tag slow

import { once } from 'node:events';
import { newRequest, startTestHost } from '@turnpike/host/testing/test-host';
import { expect, it } from 'vitest';
import WebSocket from 'ws';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { siteBehindProxy } from './site.ts';

watchLeaks();

const site = siteBehindProxy();

it('a result that the session’s memory cannot hold crashes its page, and the client is told as by any Chromium', async () => {
  await using running = await startTestHost({ sessionMemoryBytes: 1024 * 2 ** 20 });
  const session = await running.open(newRequest(site.proxy, { lifetimeMs: 600_000 }));
  const pages = await fetch(`${session.url.replace('ws:', 'http:')}/json`);
  const [{ webSocketDebuggerUrl }] = (await pages.json()) as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  const told = new Promise((resolve) => {
    socket.on('message', (message: Buffer) => resolve(JSON.parse(message.toString('utf8'))));
    socket.on('close', (code, reason) => resolve([code, String(reason)]));
  });
  const params = { expression: `'x'.repeat(300e6)`, returnByValue: true };
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
  expect(await told).toMatchObject({ method: 'Inspector.targetCrashed' });
  socket.close();
  await once(socket, 'close');
});
