// @module-tag slow

import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { resolverOf } from '../../apps/host/src/testing/resolve-proxy.ts';
import { newRequest, startTestHost } from '../../apps/host/src/testing/test-host.ts';
import { startCountingProxy } from '../fixtures/network/counting-proxy.ts';
import { startSocks } from '../fixtures/network/socks.ts';
import { startSquid } from '../fixtures/network/squid.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { npmPackages, orSkip } from './installed.ts';

watchLeaks({ wholeFile: true });

const packages = { '@crawlee/playwright': '3.18.1', playwright: '1.65.0' };
const local = { host: '127.0.0.1', addresses: ['127.0.0.1'] };
const credentials = { username: 'ann', password: 'secret' };

test('Crawlee: incognito pages with a proxy each, one of them with a password', { timeout: 600_000 }, async ({
  skip,
}) => {
  const directory = await orSkip(npmPackages(packages), skip);
  const program = join(directory, 'crawlee.mjs');
  await copyFile(join(import.meta.dirname, 'programs/crawlee.mjs'), program);
  await using web = await startWebServer();
  await using own = await startCountingProxy();
  await using squid = await startSquid(credentials);
  await using socks = await startSocks();
  const saved = { 'name:shop': { scheme: 'http', port: squid.port, ...local, ...credentials } } as const;
  await using host = await startTestHost({}, undefined, undefined, resolverOf(saved));
  const session = await host.open(newRequest({ scheme: 'http', port: own.port, ...local }));
  // With a password in it, Crawlee would start a proxy of its own beside itself, where no session reaches it.
  const proxies = ['name://shop', `socks5://127.0.0.1:${socks.port}`];
  const env = { CDP_URL: session.url, SITE: web.origin, PROXIES: JSON.stringify(proxies), NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    cwd: directory,
    env: { ...process.env, ...env },
  });
  const seen = JSON.parse(/OUTCOME (.*)/.exec(stdout)?.[1] ?? '[]') as { proxy: string; error?: string }[];
  expect(seen.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined]);
  expect(seen.map(({ proxy }) => proxy).toSorted()).toEqual([...proxies, ...proxies].toSorted());
  expect(socks.requests().length).toBeGreaterThanOrEqual(2);
  expect(own.asked.filter((line) => line.includes('/echo'))).toEqual([]);
  const ended = await host.host.close(session.sessionId);
  expect(ended?.traffic?.proxies?.map(({ proxy }) => proxy).toSorted()).toEqual(
    [`http://127.0.0.1:${own.port}`, 'name:shop', `socks5://127.0.0.1:${socks.port}`].toSorted(),
  );
});
