import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newRequest, startTestHost } from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let service: Service;
let account: TestAccount;
let web: WebServer;

beforeAll(async () => {
  web = all.use(await startWebServer());
  service = all.use(await startService({ env: { TURNPIKE_PROFILE_MAX_BYTES: '200000' } }));
  account = await service.account();
});
afterAll(() => all.disposeAsync());

/** Opens a session, has its page do something there, and answers what that came to. */
async function inSession(params: object, work: string, by = account) {
  const { status, json } = await by.create({ headless: true, ...params });
  expect(status).toBe(200);
  const browser = await chromium.connectOverCDP(json.cdpUrl);
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto(web.origin);
  const result: unknown = await page.evaluate(work);
  return {
    result,
    async close() {
      expect((await by.close(json.browserId)).json).toMatchObject({ status: 'CLOSED' });
      await browser.close();
      return (await by.get(`/api/browser/${json.browserId}/status`)).json.metadata.turnpike;
    },
  };
}

const database = (version: number, then: string) => `new Promise((resolve, reject) => {
  const opening = indexedDB.open('things', ${version});
  opening.onupgradeneeded = () => opening.result.createObjectStore('store');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const store = opening.result.transaction('store', 'readwrite').objectStore('store');
    ${then}
  };
})`;
const write = (value: string) => `(async () => {
  document.cookie = 'persistent=${value}; max-age=3600';
  document.cookie = 'passing=${value}';
  localStorage.setItem('local', '${value}');
  await ${database(1, `store.put('${value}', 'key').transaction.oncomplete = resolve`)};
})()`;
const read = `(async () => ({
  cookies: document.cookie.split('; ').filter(Boolean).sort(),
  local: localStorage.getItem('local'),
  indexed: await ${database(1, `store.get('key').onsuccess = ({ target }) => resolve(target.result ?? null)`)},
}))()`;
const nothing = { cookies: [], local: null, indexed: null };
const everything = (value: string) => ({
  cookies: [`passing=${value}`, `persistent=${value}`],
  local: value,
  indexed: value,
});

test('cookies, local storage and IndexedDB of one session are in the next, and in no one else’s', async () => {
  const writer = await inSession({ profile: 'shop', saveProfile: true }, write('first'));
  expect(await writer.close()).toMatchObject({ profileSaved: true });

  const readThenWrite = `${read}.then((found) => ${write('second')}.then(() => found))`;
  const [reader, next] = await Promise.all([
    inSession({ profile: 'shop' }, read),
    inSession({ profile: 'shop', saveProfile: true }, readThenWrite),
  ]);
  expect([reader.result, next.result]).toEqual([everything('first'), everything('first')]);
  expect(await reader.close()).not.toHaveProperty('profileSaved');
  await next.close();

  const [later, stranger, nameless] = await Promise.all([
    inSession({ profile: 'shop' }, read),
    inSession({ profile: 'shop' }, read, await service.account()),
    inSession({}, read),
  ]);
  expect(later.result).toEqual(everything('second'));
  expect([stranger.result, nameless.result]).toEqual([nothing, nothing]);
  await Promise.all([later.close(), stranger.close(), nameless.close()]);
});

test('clients are told of an orderly close as ever, and a session on a display saves too', {
  tags: 'slow',
}, async () => {
  const { json } = await account.create({ profile: 'seen', saveProfile: true });
  const socket = new WebSocket(json.cdpUrl);
  const closed = new Promise((resolve) => socket.once('close', (code, word) => resolve([code, `${word}`])));
  await new Promise((resolve) => socket.once('open', resolve));
  await account.close(json.browserId);
  expect(await closed).toEqual([4000, 'CLOSED']);
  const { profiles } = (await account.get('/user/api/profiles')).json;
  expect(profiles).toContainEqual(expect.objectContaining({ name: 'seen', inUse: false }));
});

test('what is larger than it may be is not saved, and the session says so', async () => {
  const large = `(() => {
    const bytes = crypto.getRandomValues(new Uint8Array(60000));
    for (let i = 0; i < 10; i++) localStorage.setItem('large' + i, bytes.map((byte) => (byte * 7 + i) % 251).join());
  })()`;
  const session = await inSession({ profile: 'large', saveProfile: true }, large);
  expect(await session.close()).toMatchObject({
    profileSaved: false,
    profileError: 'it is larger than 200000 bytes',
  });
  const { profiles } = (await account.get('/user/api/profiles')).json;
  expect(profiles.map(({ name }: { name: string }) => name)).not.toContain('large');
});

test('a hostile archive is unpacked in a sandbox of its own, and reaches nothing outside it', async () => {
  await using scratch = await scratchDirectory('hostile');
  const victim = join(scratch.path, 'victim');
  const build = join(scratch.path, 'build');
  const above = '/tmp/planted-by-a-profile';
  mkdirSync(victim, { mode: 0o777 });
  mkdirSync(join(build, 'Default'), { recursive: true });
  symlinkSync(victim, join(build, 'out'));
  execFileSync('mknod', [join(build, 'Default/device'), 'c', '1', '3']);
  const planted = ['out/planted', `../../../../../..${above}`, `${victim}/planted`];
  for (const index of planted.keys()) writeFileSync(join(build, `payload${index}`), 'payload');
  const transforms = planted.map((name, index) => `--transform=flags=r;s|^payload${index}$|${name}|`);
  const names = ['out', 'Default', ...planted.map((_, index) => `payload${index}`)];
  const archive = execFileSync('tar', ['-czPf', '-', '-C', build, ...transforms, ...names]).toString(
    'base64',
  );

  await using running = await startTestHost({ warm: { headful: 0, headless: 1 } });
  await running.host.warmed();
  const upstream = new URL(account.proxy);
  const proxy = {
    scheme: 'http' as const,
    host: upstream.hostname,
    port: Number(upstream.port),
    username: upstream.username,
    password: upstream.password,
    addresses: [upstream.hostname],
  };
  const hostile = { ...newRequest(proxy), profile: { archive } };
  // It may be refused as a whole; it may not harm.
  const opened = await running.open(hostile).catch((error: unknown) => error);
  if (opened instanceof Error) expect(opened).toMatchObject({ code: 'START_FAILED' });
  expect(readdirSync(victim)).toEqual([]);
  expect(existsSync(above)).toBe(false);
  await running.host.close(hostile.sessionId);

  const clean = { ...newRequest(proxy), profile: { maxBytes: 2 ** 20 } };
  const { host } = running;
  await running.open(clean);
  // What it leaves can be asked for again, and it is there until it is closed.
  const left = await Promise.all([host.save(clean.sessionId), host.save(clean.sessionId)]);
  expect(left[0]).toHaveProperty('archive');
  expect([left[1], await host.save(clean.sessionId)]).toEqual([left[0], left[0]]);
  expect(host.list()).toMatchObject([{ sessionId: clean.sessionId }]);
  expect(await host.close(clean.sessionId)).toMatchObject({ cause: 'closed' });
  expect(await host.save(clean.sessionId)).toBeUndefined();
  const warm = running.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'browser opened');
  expect(warm.at(-1)).toMatchObject({ sessionId: clean.sessionId, warm: true });
});
