import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { makeCertificates } from '../fixtures/network/certificates.ts';
import { type CountingProxy, startCountingProxy } from '../fixtures/network/counting-proxy.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { differences, openTraffic, readTraffic } from '../traffic/mixed-traffic.ts';

watchLeaks();

let undo: AsyncDisposableStack;
let service: Service;
let account: TestAccount;
let tls: { cert: Buffer; key: Buffer };

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  const { certFile, keyFile } = await makeCertificates(undo.use(await scratchDirectory('ledger')).path);
  tls = { cert: await readFile(certFile), key: await readFile(keyFile) };
  service = undo.use(await startService({ env: { TURNPIKE_PROXY_ALLOW: '127.0.0.0/8' } }));
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(() => undo.disposeAsync());

const mix = {
  plain: [10, 100_000],
  posted: [5000],
  secure: [70_000],
  messages: [10, 5000],
  aborted: [30_000],
};

async function record(id: string) {
  const { sessions } = (await account.get('/user/api/sessions')).json;
  return sessions.find(({ browserId }: { browserId: string }) => browserId === id);
}

async function untilQuiet(proxy: CountingProxy): Promise<void> {
  await expect.poll(() => proxy.open()).toBe(0);
}

test('what a session says of its traffic is what the other side counts, while it runs and after', async () => {
  await using proxy = await startCountingProxy(tls);
  await using traffic = await openTraffic(account, proxy);
  await traffic.run(mix);
  const live = async () => {
    const read = await readTraffic(account, traffic.id);
    return { ...differences(read, proxy.bytes()), live: read.live };
  };
  await expect.poll(live).toEqual({ ledger: 0, wire: 0, live: true });
  await account.close(traffic.id);
  await untilQuiet(proxy);
  const final = await readTraffic(account, traffic.id);
  expect(differences(final, proxy.bytes())).toEqual({ ledger: 0, wire: 0 });
  expect(final.destinations.map(({ host }) => host)).toEqual(
    expect.arrayContaining(['start.test', 'h1.plain.test', 's0.secure.test', 'sockets.test', 'aborted.test']),
  );
  expect(final.refused.allow_hosts).toBeGreaterThanOrEqual(2);
  expect(proxy.asked.join()).not.toContain('refused.test');
  const { bytesUp, bytesDown, traffic: summary } = await record(traffic.id);
  expect(differences({ bytesUp, bytesDown, ...summary }, proxy.bytes())).toEqual({ ledger: 0, wire: 0 });
  expect(summary.destinations).toHaveLength(Math.min(10, final.destinations.length));
  const [day] = (await account.get('/user/api/traffic')).json.days;
  expect(day).toMatchObject({ bytesUp, bytesDown });
});

test('a session stops at max_bytes, and its record says so', async () => {
  const maxBytes = 300_000;
  await using proxy = await startCountingProxy(tls);
  await using traffic = await openTraffic(account, proxy, { max_bytes: maxBytes });
  const fetched = await traffic.page.evaluate(() =>
    fetch('http://a.plain.test/bytes/5000000')
      .then((answer) => answer.arrayBuffer())
      .then(
        () => 'all',
        () => 'cut',
      ),
  );
  expect(fetched).toBe('cut');
  const after = await traffic.page.evaluate(() =>
    fetch('http://start.test/').then(async (answer) => `${answer.status} ${await answer.text()}`),
  );
  expect(after).toMatch(/^403 This session has used the traffic that max_bytes allows\./);
  const live = await readTraffic(account, traffic.id);
  expect(live).toMatchObject({ maxBytes, maxBytesReached: true, refused: { max_bytes: expect.any(Number) } });
  expect(live.bytesUp + live.bytesDown).toBeLessThanOrEqual(maxBytes);
  await account.close(traffic.id);
  expect((await record(traffic.id)).traffic).toMatchObject({ maxBytesReached: true });
});
