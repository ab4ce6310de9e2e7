import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reinstateAccount, suspendAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { inviteAccount } from '../../apps/gateway/src/users/links.ts';
import { call } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, password, startDashboardHarness } from './harness.ts';
import { fromOwnPage, tokenOf } from './visitor.ts';

watchLeaks();

const wrong = { code: 'WRONG_PASSWORD', error: 'E-mail address or password is wrong' };

describeEach(quickOn('postgres'))('people of the dashboard on %s', (engine) => {
  let harness: DashboardHarness;
  let url: string;

  beforeAll(async () => {
    harness = await startDashboardHarness(engine, { trustProxy: '127.0.0.1' });
    url = harness.gateway.url;
    harness.gateway.clock.stop();
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  const db = () => harness.gateway.running.gateway.db;
  const options = () => ({ publicUrl: url, now: harness.gateway.clock.now });

  test('a link sets a password once; with it one signs in, by any case of the address', async () => {
    const account = await harness.gateway.account();
    const { url: sent } = await inviteAccount(db(), account.email, options());
    expect(sent).toMatch(new RegExp(`^${url}/welcome#token=[0-9a-f]{64}$`));
    const visitor = harness.visitor();
    const look = await visitor.post('/dashboard/api/link/look', { token: tokenOf(sent) });
    expect(look.json).toMatchObject({ kind: 'invitation', email: account.email, role: 'account' });
    expect((await visitor.useLink(sent, 'short')).json).toMatchObject({ field: 'password' });

    const racing = await Promise.all(
      Array.from({ length: 8 }, (_, i) => harness.visitor().useLink(sent, `${password} ${i}`)),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(410)]);
    const won = racing.findIndex(({ status }) => status === 200);
    expect((await visitor.useLink(sent, password)).json).toEqual({
      code: 'LINK_GONE',
      error: 'This link has expired or was already used. Ask your operator for a new one.',
    });

    const signedIn = await visitor.signIn(account.email.toUpperCase(), `${password} ${won}`);
    expect(signedIn.json).toMatchObject({ email: account.email, account: { id: account.id } });
    expect(signedIn.headers.getSetCookie()[0]).toMatch(
      /^__Host-turnpike=[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect((await visitor.get('/dashboard/api/me')).json).toMatchObject({ email: account.email });
  });

  test('a new link kills the former; links run out', async () => {
    const account = await harness.gateway.account();
    const first = await inviteAccount(db(), account.email, options());
    const second = await inviteAccount(db(), account.email, { ...options(), kind: 'reset' });
    const visitor = harness.visitor();
    expect((await visitor.useLink(first.url, password)).status).toBe(410);
    harness.gateway.clock.advance(3_600_000);
    expect((await visitor.useLink(second.url, password)).status).toBe(410);
  });

  test('a wrong password and an unknown address are the same answer', async () => {
    const { account } = await harness.accountPerson();
    const visitor = harness.visitor();
    const answers = [
      await visitor.signIn(account.email, 'not the password'),
      await visitor.signIn('nobody@example.com', password),
      await visitor.signIn((await harness.gateway.account()).email, password),
    ];
    expect(answers.map(({ status, json }) => [status, json])).toEqual(Array(3).fill([401, wrong]));
    expect((await visitor.get('/dashboard/api/me')).json).toMatchObject({ error: 'Not signed in' });
  });

  test('of twenty tries at once for one address from one network ten are looked at, and then one a minute', async () => {
    harness.gateway.clock.advance(3_600_000);
    const { account } = await harness.accountPerson();
    // All from one network, whose own limit is further away.
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => harness.visitor().signIn(account.email, 'wrong password')),
    );
    const statuses = tries.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(10).fill(429)]);
    const refused = await harness.visitor().signIn(account.email, password);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    harness.gateway.clock.advance(61_000);
    expect((await harness.visitor().signIn(account.email, password)).status).toBe(200);
    expect((await harness.visitor().signIn(account.email, password)).status).toBe(429);
    harness.gateway.clock.advance(3_600_000);
  });

  test('whoever knows an e-mail address locks its owner out neither elsewhere nor in a known browser', async () => {
    harness.gateway.clock.advance(3_600_000);
    const { account, visitor } = await harness.accountPerson();
    await visitor.post('/dashboard/api/sign-out');
    const from = (address: string) => ({ 'x-forwarded-for': address });
    // Strangers use up their tries, from many networks, the owner's own among them.
    for (const network of ['192.0.2.1', '192.0.2.2', '198.51.100.3']) {
      const tries = Array.from({ length: 12 }, () =>
        harness.visitor().signIn(account.email, 'wrong password', from(network)),
      );
      expect((await Promise.all(tries)).some(({ status }) => status === 429)).toBe(true);
    }
    expect((await harness.visitor().signIn(account.email, password, from('203.0.113.9'))).status).toBe(200);
    const blocked = await harness.visitor().signIn(account.email, password, from('192.0.2.1'));
    expect(blocked.status).toBe(429);
    expect((await visitor.signIn(account.email, password, from('192.0.2.1'))).status).toBe(200);
    // A browser that is known has no more tries than a stranger, and is known for its own address alone.
    const other = await harness.accountPerson();
    other.visitor.cookie = '';
    const guesses = Array.from({ length: 12 }, () =>
      other.visitor.signIn(account.email, 'wrong password', from('192.0.2.1')),
    );
    expect((await Promise.all(guesses)).every(({ status }) => status === 429)).toBe(true);
    visitor.cookie = '';
    const own = Array.from({ length: 12 }, () => visitor.signIn(account.email, 'wrong password'));
    expect((await Promise.all(own)).filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(2);
    harness.gateway.clock.advance(3_600_000);
  });

  test('thirty tries from one network for any address are looked at, however they race', async () => {
    harness.gateway.clock.advance(3_600_000);
    const tries = await Promise.all(
      Array.from({ length: 40 }, (_, i) => harness.visitor().signIn(`u${i}@example.com`, 'wrong password')),
    );
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(30);
    harness.gateway.clock.advance(3_600_000);
  });

  test('a token that somebody planted is not the one that a sign-in gives, and dies with it', async () => {
    const { account, visitor: attacker } = await harness.accountPerson();
    const planted = attacker.cookie;
    const victim = harness.visitor();
    victim.cookie = planted;
    expect((await victim.signIn(account.email, password)).status).toBe(200);
    expect(victim.cookie).not.toBe(planted);
    expect((await attacker.get('/dashboard/api/me')).status).toBe(401);

    const made = `__Host-turnpike=${'ab'.repeat(32)}`;
    const other = harness.visitor();
    other.cookie = made;
    await other.signIn(account.email, password);
    expect(other.cookie).not.toBe(made);
    other.cookie = made;
    expect((await other.get('/dashboard/api/me')).status).toBe(401);
  });

  test('signing out ends this browser, everywhere ends them all, and a new password ends the others', async () => {
    const { account, visitor: first } = await harness.accountPerson();
    const [second, third] = [harness.visitor(), harness.visitor()];
    await second.signIn(account.email, password);
    await third.signIn(account.email, password);
    const kept = second.cookie;
    await second.post('/dashboard/api/sign-out');
    second.cookie = kept;
    expect((await second.get('/dashboard/api/me')).status).toBe(401);
    expect((await third.get('/dashboard/api/me')).status).toBe(200);

    const change = { current: 'wrong password', password: 'another password' };
    expect((await third.post('/dashboard/api/password', change)).json).toEqual({
      code: 'BAD_REQUEST',
      error: 'The current password is wrong',
      field: 'current',
    });
    await third.post('/dashboard/api/password', { ...change, current: password });
    expect((await third.get('/dashboard/api/me')).status).toBe(200);
    expect((await first.get('/dashboard/api/me')).status).toBe(401);

    await first.signIn(account.email, 'another password');
    await first.post('/dashboard/api/sign-out-everywhere');
    expect((await third.get('/dashboard/api/me')).status).toBe(401);
  });

  test('a browser that is not used for twelve hours is signed out, and any after thirty days', async () => {
    const { visitor } = await harness.accountPerson();
    for (let hours = 0; hours < 30 * 24; hours += 10) {
      expect((await visitor.get('/dashboard/api/me')).status).toBe(200);
      harness.gateway.clock.advance(10 * 3_600_000);
    }
    expect((await visitor.get('/dashboard/api/me')).status).toBe(401);

    const { visitor: idle } = await harness.accountPerson();
    harness.gateway.clock.advance(12 * 3_600_000);
    expect((await idle.get('/dashboard/api/me')).status).toBe(401);
  });

  test('a suspended account is out at once, and in again when reinstated', async () => {
    const { account, visitor } = await harness.accountPerson();
    await suspendAccount(db(), account.email);
    expect((await visitor.get('/dashboard/api/overview')).json).toMatchObject({ error: 'Account suspended' });
    expect((await visitor.post('/api/browser/create', { proxy: account.proxy })).status).toBe(403);
    expect((await visitor.post('/user/api/regenerate-key')).status).toBe(403);
    expect((await harness.visitor().signIn(account.email, password)).status).toBe(403);
    expect((await harness.visitor().signIn(account.email, 'wrong password')).status).toBe(401);
    await reinstateAccount(db(), account.email);
    expect((await visitor.get('/dashboard/api/overview')).status).toBe(200);
  });

  describe('a request that changes something is refused', () => {
    const cases: [string, Record<string, string>][] = [
      ['from another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
      ['from another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
      ['from another origin, by a browser without Sec-Fetch', { origin: 'http://127.0.0.1:1' }],
      ['from a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
      ['with an origin that is none', { origin: 'null' }],
      ['by a link', { 'sec-fetch-site': 'none' }],
      ['without a word on where it comes from', {}],
    ];
    test.each(cases)('%s', async (_name, headers) => {
      const { visitor, account } = await harness.accountPerson();
      const answer = await call(`${url}/user/api/regenerate-key`, {
        method: 'POST',
        headers: { cookie: visitor.cookie, 'content-type': 'application/json', ...headers },
        body: '{}',
      });
      expect([answer.status, answer.json.error]).toEqual([403, expect.stringMatching(/^Refused: it /)]);
      expect((await account.get('/user/api/me')).status).toBe(200);
    });

    test.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
      'as %s, which a form can send',
      async (type) => {
        const { visitor } = await harness.accountPerson();
        const answer = await visitor.post('/dashboard/api/sign-out-everywhere', {}, { 'content-type': type });
        expect(answer.status).toBe(403);
        expect((await visitor.get('/dashboard/api/me')).status).toBe(200);
      },
    );

    test('and nobody is signed in by it, so that none is made to use another account', async () => {
      const { account } = await harness.accountPerson();
      const answer = await call(`${url}/dashboard/api/sign-in`, {
        method: 'POST',
        headers: { ...fromOwnPage(url), origin: 'https://evil.example' },
        body: JSON.stringify({ email: account.email, password }),
      });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    });
  });

  test("another account's sessions are not found, and no account reaches the operator's routes", async () => {
    const { account } = await harness.accountPerson();
    const { visitor: stranger } = await harness.accountPerson();
    const { visitor: operator } = await harness.operatorPerson();
    const { json } = await account.create();
    const path = `/dashboard/api/sessions/${json.browserId}`;
    const close = () => stranger.post('/api/browser/close', { browserId: json.browserId });
    for (const answer of [await stranger.get(path), await close()]) {
      expect([answer.status, answer.json]).toEqual([
        404,
        { code: 'SESSION_NOT_FOUND', error: 'Session not found' },
      ]);
    }
    expect((await stranger.get('/dashboard/api/sessions?text=br_')).json.sessions).toEqual([]);
    expect((await stranger.get('/dashboard/api/running')).json.sessions).toEqual([]);
    expect((await account.get(`/api/browser/${json.browserId}/status`)).json.status).toBe('ACTIVE');

    for (const path of ['accounts', 'sessions', 'audit', 'tokens', 'hosts', `accounts/${account.id}`]) {
      expect((await stranger.get(`/dashboard/api/operator/${path}`)).status).toBe(403);
      expect((await harness.visitor().get(`/dashboard/api/operator/${path}`)).status).toBe(401);
      expect((await operator.get(`/dashboard/api/operator/${path}`)).status).toBe(200);
    }
    expect((await stranger.post('/dashboard/api/operator/tokens', { name: 'x' })).status).toBe(403);
    expect((await operator.get('/dashboard/api/overview')).status).toBe(403);
    // A cookie is nothing to routes that no page calls, nor a key or a machine's token anything to pages.
    expect((await stranger.get('/user/api/me')).json).toMatchObject({ error: 'Missing API key' });
    expect((await stranger.get('/connect')).json).toMatchObject({ error: 'Missing API key' });
    expect((await operator.get('/operator/api/accounts')).status).toBe(401);
    expect((await account.get('/dashboard/api/me')).status).toBe(401);
  });

  test('no log line holds a password, a cookie or a link', async () => {
    const account = await harness.gateway.account();
    const { url: sent } = await inviteAccount(db(), account.email, options());
    const visitor = harness.visitor();
    await visitor.useLink(sent, 'a very secret password');
    await visitor.signIn(account.email, 'a very secret password!');
    const logs = harness.gateway.logs.join('');
    for (const secret of ['very secret', tokenOf(sent), visitor.cookie.split('=')[1] ?? '']) {
      expect(logs).not.toContain(secret);
    }
  });
});
