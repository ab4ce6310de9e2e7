import { Turnpike } from 'turnpike-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGatewayOn, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** What a create asks for and does not get: said in a header, and by the Node client. */

watchLeaks({ wholeFile: true });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
});
afterAll(() => gateway[Symbol.asyncDispose]());

const warningsOf = ({ headers }: { headers: Headers }) => headers.get('x-turnpike-warnings');
const headles = 'headles: unknown parameter; did you mean headless?';

test('a mistyped parameter is still 200, and both ways to create say so', async () => {
  const account = await gateway.account();
  const connected = await account.connect({ headles: 'true', maxLifetime: '30' });
  expect(connected.status).toBe(200);
  expect(JSON.parse(warningsOf(connected) ?? '')).toEqual([
    headles,
    'maxLifetime: 30 is not from 120 to 86400; 120 is used',
  ]);
  const created = await account.create({ browserParams: { headless: true, vnc: true }, headles: true });
  expect(created.status).toBe(200);
  expect(JSON.parse(warningsOf(created) ?? '')).toEqual([
    headles,
    'vnc: a headless session has no live view; leave headless out to get one',
  ]);
  expect(JSON.stringify(created.json)).not.toContain('headles:');
});

test('who sends what the contract shows gets no such header', async () => {
  const account = await gateway.account();
  const all = { os: 'linux', headless: 'true', vnc: 'false', maxLifetime: '600', metadata: '{"a":1}' };
  expect(warningsOf(await account.connect(all))).toBeNull();
  expect(warningsOf(await account.create({ os: 'linux', metadata: { a: 1 } }))).toBeNull();
  const dropped = await account.connect({ metadata: '[1]' });
  expect([dropped.status, warningsOf(dropped)]).toEqual([
    200,
    expect.stringContaining('metadata: not a JSON'),
  ]);
});

test('a reconnect ignores all other parameters, as the contract says, without a word', async () => {
  const account = await gateway.account();
  const { browserId } = (await account.create()).json;
  expect(warningsOf(await account.connect({ sessionId: browserId, headles: 'true' }))).toBeNull();
});

test('a create that is refused says it too: the name that it lacks may be mistyped', async () => {
  const account = await gateway.account();
  const refused = await account.create({ proxy: undefined, proxi: 'http://a:1' });
  expect([refused.status, refused.json.code]).toEqual([400, 'PROXY_REQUIRED']);
  expect(warningsOf(refused)).toBe('["proxi: unknown parameter; did you mean proxy?"]');
});

test('hostile names make a header that is ASCII and short', async () => {
  const account = await gateway.account();
  const names = Array.from({ length: 40 }, (_, index) => [`é\r\n"${'ü'.repeat(500)}${index}`, 1]);
  const answer = await account.create(Object.fromEntries(names));
  expect(answer.status).toBe(200);
  expect(warningsOf(answer)).toMatch(/^[ -~]{100,4000}$/);
});

test('the Node client tells each warning once, and passes on names that it does not know', async () => {
  const account = await gateway.account();
  const told: string[] = [];
  const onWarning = (warning: string) => void told.push(warning);
  const client = new Turnpike({ endpoint: gateway.url, apiKey: account.key, onWarning });
  await client.create({ proxy: account.proxy, headles: true } as object & { proxy: string });
  expect(told).toEqual([headles]);
  const emitted = new Promise<Error>((resolve) => process.once('warning', resolve));
  const plain = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
  await plain.connectUrl({ proxy: account.proxy, maxLifetime: 1 });
  expect(await emitted).toMatchObject({
    name: 'TurnpikeWarning',
    message: expect.stringContaining('120 is used'),
  });
});
