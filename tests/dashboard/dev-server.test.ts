// @module-tag slow

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inviteAccount } from '../../apps/gateway/src/users/links.ts';
import { call, startGatewayOn } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { password } from './harness.ts';
import { Visitor } from './visitor.ts';

watchLeaks();

test('npm run dev serves the sources, with a running gateway behind them', async () => {
  await using gateway = await startGatewayOn('sqlite');
  await using server = await startDevServer(gateway.url);
  const page = await call(`${server.url}/sessions`, { headers: { accept: 'text/html' } });
  expect(page.text).toContain('/src/main.tsx');
  const source = await call(`${server.url}/src/app.tsx`);
  expect(source.headers.get('content-type')).toContain('javascript');
  const account = await gateway.account();
  const { url } = await inviteAccount(gateway.running.gateway.db, account.email, { publicUrl: server.url });
  const visitor = new Visitor(server.url);
  expect((await visitor.useLink(url, password)).json).toMatchObject({ email: account.email });
  expect((await visitor.get('/dashboard/api/me')).json).toMatchObject({ email: account.email });
}, 60_000);

/** The script, on a port of the system's choice. */
async function startDevServer(gatewayUrl: string): Promise<{ url: string } & AsyncDisposable> {
  const arguments_ = ['run', 'dev', '-w', 'apps/dashboard', '--', '--host', '127.0.0.1', '--port', '0'];
  const child = spawn('npm', arguments_, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, TURNPIKE_URL: gatewayUrl, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own: npm starts a shell, which starts the server.
    detached: true,
  });
  await using undo = new AsyncDisposableStack();
  undo.defer(async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    const exited = once(child, 'exit');
    process.kill(-child.pid, 'SIGTERM');
    await exited;
  });
  const url = await printedUrl(child);
  const stop = undo.move();
  return { url, [Symbol.asyncDispose]: () => stop.disposeAsync() };
}

/** Leaves the stream open, so that the server can go on printing. */
function printedUrl({ stdout }: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const url = /Local: +(http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
    if (url) resolve(url);
  });
  stdout?.once('end', () => reject(new Error(`the development server did not start\n${output}`)));
  return promise;
}
