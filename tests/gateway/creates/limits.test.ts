import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  reinstateAccount,
  setLimits,
  suspendAccount,
} from '../../../apps/gateway/src/accounts/manage-account.ts';
import { accountCalls, engines, startGatewayOn, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

watchLeaks();

describe.each(engines)('limits on %s', (engine) => {
  let gateway: TestGateway;

  beforeEach(async () => {
    gateway = await startGatewayOn(engine);
  });

  afterEach(() => gateway[Symbol.asyncDispose]());

  test('a burst of 200 creates on a limit of 5 gives exactly 5 sessions and 195 answers 429', async () => {
    const account = await gateway.account({ creates_per_minute: 1000 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => account.connect()));
    expect(tally(answers)).toEqual({ 200: 5, 429: 195 });
    for (const refused of answers.filter(({ status }) => status === 429)) {
      expect(refused.json).toMatchObject({ code: 'CONCURRENCY_LIMIT', limit: 5, active: 5 });
    }
    expect((await account.get('/user/api/limits')).json).toEqual({
      limit: 5,
      active: 5,
      remaining: 0,
      unlimited: false,
    });
    expect((await account.get('/api/browsers')).json).toHaveLength(5);
    expect(gateway.host.busy).toBe(5);
  });

  test('creates that fail give their slots back, and the fifth always succeeds', async () => {
    const account = await gateway.account({ creates_per_minute: 1000 });
    gateway.host.onOpen = async () => {
      throw new Error('no browser today');
    };
    const failed = await Promise.all(Array.from({ length: 5 }, () => account.connect()));
    expect(tally(failed)).toEqual({ 502: 5 });
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 5 });
    gateway.host.onOpen = async () => {};
    const opened = await Promise.all(Array.from({ length: 5 }, () => account.connect()));
    expect(tally(opened)).toEqual({ 200: 5 });
    expect(opened.map(({ headers }) => headers.get('x-ratelimit-remaining')).sort()).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
    ]);
  });

  test('a create in progress takes from remaining and is nowhere to be seen', async () => {
    const account = await gateway.account();
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<string>();
    gateway.host.onOpen = async (request) => {
      reached.resolve(request.sessionId);
      await gate.promise;
    };
    const pending = account.connect();
    const id = await reached.promise;
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 4 });
    expect((await account.get(`/api/browser/${id}/status`)).status).toBe(404);
    expect((await account.connect({ sessionId: id })).status).toBe(404);
    expect((await account.close(id)).status).toBe(404);
    expect((await account.get('/user/api/sessions')).json.sessions).toEqual([]);
    gate.resolve();
    expect((await pending).headers.get('x-session-id')).toBe(id);
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 1, remaining: 4 });
  });

  test('the window slides over 60 seconds and counts what was refused', async () => {
    const account = await gateway.account({ creates_per_minute: 3 });
    expect((await account.get('/connect')).status).toBe(400);
    gateway.clock.advance(20_000);
    expect((await account.connect()).status).toBe(200);
    gateway.clock.advance(20_000);
    expect((await account.connect()).status).toBe(200);
    const refused = await account.connect();
    expect(refused.status).toBe(429);
    expect(refused.json).toEqual({
      error: 'Rate limit exceeded',
      code: 'RATE_LIMIT',
      limit: 3,
      window: '60s',
    });
    // The first request leaves the window, but the refused one is in it.
    gateway.clock.advance(21_000);
    expect((await account.connect()).status).toBe(429);
    gateway.clock.advance(61_000);
    expect((await account.connect()).status).toBe(200);
  });

  test('a burst of 200 creates on a rate of 60 lets exactly 60 through the window', async () => {
    const account = await gateway.account({ concurrent_limit: null });
    const answers = await Promise.all(Array.from({ length: 200 }, () => account.connect()));
    expect(tally(answers)).toEqual({ 200: 60, 429: 140 });
  });

  test('neither reconnects nor reads count in the window', async () => {
    const account = await gateway.account({ creates_per_minute: 2 });
    const id = (await account.connect()).headers.get('x-session-id') ?? '';
    for (let i = 0; i < 5; i++) {
      expect((await account.connect({ sessionId: id })).status).toBe(200);
      expect((await account.get('/user/api/limits')).status).toBe(200);
    }
    expect((await account.connect()).status).toBe(200);
    expect((await account.connect()).status).toBe(429);
  });

  test('at the hours cap running sessions go on, reconnects work, and creates are 402', async () => {
    const account = await gateway.account({ browser_seconds_cap: 30 });
    const [first, second] = [await account.connect(), await account.connect()];
    expect((await account.close(first.headers.get('x-session-id') ?? '')).json.status).toBe('CLOSED');
    const refused = await account.connect();
    expect(refused.status).toBe(402);
    expect(refused.json).toMatchObject({ code: 'USAGE_CAP_REACHED', remainingSeconds: 0 });
    const again = await account.connect({ sessionId: second.headers.get('x-session-id') ?? '' });
    expect([again.status, again.text]).toEqual([200, second.text]);
    await setLimits(gateway.running.gateway.db, account.email, { browser_seconds_cap: 31 });
    expect((await account.connect()).status).toBe(200);
  });

  test('limits change and accounts are suspended from the next request on', async () => {
    const account = await gateway.account({ concurrent_limit: 1 });
    const { db } = gateway.running.gateway;
    const id = (await account.connect()).headers.get('x-session-id') ?? '';
    expect((await account.connect()).status).toBe(429);
    await setLimits(db, account.email, { concurrent_limit: null });
    const unlimited = await account.connect();
    expect(unlimited.headers.get('x-ratelimit-limit')).toBe('2147483647');
    expect(unlimited.headers.get('x-ratelimit-remaining')).toBe('2147483647');
    expect((await account.get('/user/api/limits')).json).toMatchObject({ unlimited: true, active: 2 });
    await suspendAccount(db, account.email);
    expect((await account.get('/user/api/limits')).json).toMatchObject({ error: 'Invalid API key' });
    await reinstateAccount(db, account.email);
    expect((await account.connect({ sessionId: id })).status).toBe(200);
  });

  test('a rotated key is dead at once, and of two rotations with one key one wins', async () => {
    const account = await gateway.account();
    const rotations = await Promise.all([1, 2].map(() => account.post('/user/api/regenerate-key')));
    expect(tally(rotations)).toEqual({ 200: 1, 401: 1 });
    expect((await account.get('/user/api/me')).status).toBe(401);
    const key = rotations.find(({ status }) => status === 200)?.json.apiKey;
    expect(key).toMatch(/^tp_live_[0-9a-f]{64}$/);
    expect((await accountCalls(gateway.url, key).get('/user/api/me')).status).toBe(200);
  });

  test('no free seat is 503 CAPACITY, and leaves the slot free', async () => {
    const account = await gateway.account();
    gateway.host.places = 0;
    const refused = await account.connect();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('x-error-code')).toBe('CAPACITY');
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(refused.text).toBe('All browsers are busy right now, try again in a moment.');
    expect((await account.get('/user/api/limits')).json.remaining).toBe(5);
  });

  test('a client that hangs up in the middle of a create leaves no browser and no slot', async () => {
    const account = await gateway.account();
    const reached = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    gateway.host.onOpen = (_request, signal) => {
      reached.resolve();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          cancelled.resolve();
          reject(signal.reason);
        });
      });
    };
    const hangUp = new AbortController();
    const url = `${gateway.url}/connect?proxy=${encodeURIComponent('http://198.51.100.7:1')}`;
    const pending = fetch(url, { headers: { 'x-api-key': account.key }, signal: hangUp.signal });
    await reached.promise;
    hangUp.abort();
    await expect(pending).rejects.toThrow();
    await cancelled.promise;
    await expect.poll(() => gateway.logs.join('')).toContain('the client went away unanswered');
    expect(gateway.logs.filter((line) => line.includes('"level":50'))).toEqual([]);
    await expect
      .poll(async () => (await account.get('/user/api/limits')).json)
      .toMatchObject({ remaining: 5 });
    expect(gateway.host.busy).toBe(0);
  });

  test('a create that outlives its deadline is reaped, and its late browser closed', async () => {
    const account = await gateway.account({ concurrent_limit: 1 });
    const gate = Promise.withResolvers<void>();
    gateway.host.onOpen = () => gate.promise;
    const late = account.connect();
    await expect.poll(() => gateway.host.requests.length).toBe(1);
    gateway.clock.advance(106_000);
    await gateway.running.leases.tick();
    expect((await account.get('/user/api/limits')).json.remaining).toBe(1);
    gate.resolve();
    expect([(await late).status, (await late).text]).toEqual([
      502,
      'Browser creation failed (it took too long)',
    ]);
    expect(gateway.host.busy).toBe(0);
    gateway.host.onOpen = async () => {};
    expect((await account.connect()).status).toBe(200);
  });
});

function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
