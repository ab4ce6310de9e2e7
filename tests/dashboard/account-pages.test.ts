import { products } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ingestUsage } from '../../apps/gateway/src/bandwidth/ingest-usage.ts';
import { call, type TestAccount } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, startDashboardHarness } from './harness.ts';

watchLeaks();

const script = '<script>alert(1)</script>';

describeEach(quickOn('sqlite'))("an account's pages on %s", (engine) => {
  let harness: DashboardHarness;

  beforeAll(async () => {
    harness = await startDashboardHarness(engine);
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  const stats = (account: TestAccount, path: string) =>
    call(`${harness.gateway.url}/api/users/stats/${path}`, {
      headers: { authorization: `Bearer ${account.statsToken}` },
    });

  test('a session that is opened here is a session of interface A, and ends for both', async () => {
    const { account, visitor } = await harness.accountPerson();
    const made = await visitor.post('/api/browser/create', {
      proxy: account.proxy,
      os: 'macos',
      vnc: true,
      metadata: { note: script },
    });
    const { json: session } = made;
    expect(session).toMatchObject({
      status: 'ACTIVE',
      cdpUrl: expect.stringMatching(/^wss:\/\/host\.example\/cdp\/br_[0-9a-f]{40}$/),
      vncUrl: expect.stringMatching(/^https:\/\/host\.example\/vnc\//),
      browserParams: { os: 'macos', proxy: 'http://user:***@198.51.100.7:3128' },
    });
    // What somebody wrote comes back as the text it is, in JSON and as nothing else.
    expect(session.metadata.note).toBe(script);
    expect(made.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(made.headers.get('x-content-type-options')).toBe('nosniff');
    expect(made.headers.get('cache-control')).toBe('no-store');

    const { json: status } = await account.get(`/api/browser/${session.browserId}/status`);
    expect(status).toMatchObject({ cdpUrl: session.cdpUrl, vncUrl: session.vncUrl, status: 'ACTIVE' });
    expect((await visitor.get('/dashboard/api/running')).json).toMatchObject({
      concurrency: (await account.get('/user/api/limits')).json,
      sessions: [{ browserId: session.browserId, viewer: true }],
    });

    const path = `/dashboard/api/sessions/${session.browserId}`;
    expect((await visitor.get(path)).json).toMatchObject({
      cdpUrl: session.cdpUrl,
      vncUrl: session.vncUrl,
      endReason: null,
      chromiumVersion: '156.0.0.0',
      host: 'stand-in',
    });
    const close = () => visitor.post('/api/browser/close', { browserId: session.browserId });
    expect((await close()).json).toEqual({ browserId: session.browserId, status: 'CLOSED' });
    const { json: closed } = await visitor.get(path);
    expect(closed).toMatchObject({ status: 'CLOSED', cdpUrl: null, vncUrl: null, endReason: 'client_close' });
    expect(closed.billedSeconds).toBe(30);
    expect((await close()).json.status).toBe('CLOSED');
    harness.gateway.clock.advance(4 * 3_600_000);
    expect((await account.get(`/api/browser/${session.browserId}/status`)).status).toBe(404);
    expect((await visitor.get(path)).json.status).toBe('CLOSED');
  });

  test("a create is refused in interface A's own words, with the field", async () => {
    const { account, visitor } = await harness.accountPerson();
    const bodies = [{}, { proxy: 'http://nowhere' }, { proxy: account.proxy, os: 'beos' }];
    const fields = ['proxy', 'proxy', 'os'];
    for (const [i, body] of bodies.entries()) {
      const { status, json } = await visitor.post('/api/browser/create', body);
      const same = await account.post('/api/browser/create', body);
      expect([status, json]).toEqual([same.status, { ...same.json, field: fields[i] }]);
      expect(same.json).not.toHaveProperty('field');
    }
    expect((await visitor.get('/dashboard/api/sessions?status=OPEN')).json.field).toBe('status');
  });

  test('history is filtered by state, time and text, and paged', async () => {
    const { account, visitor } = await harness.accountPerson();
    const ids: string[] = [];
    for (const purpose of ['50%_off', 'plain', 'PLAIN too']) {
      ids.push((await account.create({ metadata: { purpose } })).json.browserId);
      harness.gateway.clock.advance(60_000);
    }
    await account.close(ids[0] as string);
    const find = async (query: string) =>
      (await visitor.get(`/dashboard/api/sessions?${query}`)).json.sessions.map((row: any) => row.browserId);
    expect(await find('')).toEqual([...ids].reverse());
    expect(await find('status=CLOSED')).toEqual([ids[0]]);
    expect(await find('text=plain')).toEqual([ids[2], ids[1]]);
    expect(await find(`text=${encodeURIComponent('%_')}`)).toEqual([ids[0]]);
    expect((await visitor.get('/dashboard/api/sessions?text=%00')).status).toBe(400);
    const { json } = await visitor.get(`/dashboard/api/sessions/${ids[1]}`);
    expect(await find(`from=${json.createdAt}`)).toEqual([ids[2], ids[1]]);
    expect(await find(`to=${json.createdAt}`)).toEqual([ids[1], ids[0]]);
    const first = (await visitor.get('/dashboard/api/sessions?limit=2')).json;
    expect(await find(`limit=2&cursor=${first.nextCursor}`)).toEqual([ids[0]]);
  });

  test("usage and bandwidth are the interfaces' own numbers, and use up no request of theirs", async () => {
    const { account, visitor } = await harness.accountPerson();
    const { db, now } = harness.gateway.running.gateway;
    const today = utcDay(now());
    const records = products.map((product, i) => ({
      id: `${engine}-${account.id}-${product}`,
      account: account.id,
      product,
      country: i % 2 ? 'DE' : 'US',
      bytes: `${10n ** 17n + 123_456_789n * BigInt(i + 1)}`,
      at: now(),
    }));
    await ingestUsage(
      { db, now },
      records.map((record) => () => record),
      'test',
    );
    const range = `from=${today}&to=${today}&unit=Mb`;
    for (let i = 0; i < 70; i++) expect((await visitor.get('/dashboard/api/bandwidth')).status).toBe(200);
    const overview = await visitor.get('/dashboard/api/overview');
    for (const product of products) {
      // The text, for a number of JavaScript's has not all the digits.
      const data = async (path: string) => /"data":(.*)}$/.exec((await stats(account, path)).text)?.[1];
      expect(overview.text).toContain(await data(`${product}/summary`));
      const own = `/dashboard/api/bandwidth/${product}`;
      expect((await visitor.get(`${own}?${range}`)).text).toBe(await data(`${product}/bandwidth?${range}`));
      const csv = await visitor.get(`${own}/csv?${range}`);
      const theirs = await stats(account, `${product}/bandwidth.csv?${range}`);
      expect([csv.text, csv.headers.get('content-disposition')]).toEqual([
        theirs.text,
        theirs.headers.get('content-disposition'),
      ]);
    }
    const countries = await visitor.get(`/dashboard/api/bandwidth/residential/countries?${range}`);
    expect(countries.json.countries).toMatchObject([{ country: 'US' }]);
    expect((await visitor.get(`/dashboard/api/bandwidth/rotating-dc/countries?${range}`)).status).toBe(404);

    await account.close((await account.create()).json.browserId);
    const usage = (await account.get('/user/api/usage')).json;
    const own = (await visitor.get('/dashboard/api/usage')).json;
    expect(own.totals).toEqual(usage.totals);
    expect(own.days).toHaveLength(30);
    expect(own.days.filter((day: any) => day.sessions > 0)).toEqual(usage.days);
  });

  test('keys are rotated, shown and kept in the audit log', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { json: before } = await visitor.get('/dashboard/api/keys');
    expect(before).toMatchObject({ apiKey: { rotatedAt: null }, statsToken: { exists: true } });
    expect(JSON.stringify(before)).not.toMatch(/tp_live_|tpapi_/);

    const { json: rotated } = await visitor.post('/user/api/regenerate-key');
    expect((await account.get('/user/api/me')).status).toBe(401);
    const me = await call(`${harness.gateway.url}/user/api/me`, { headers: { 'x-api-key': rotated.apiKey } });
    expect(me.status).toBe(200);

    const revealed = await visitor.post('/dashboard/api/keys/stats-token/reveal');
    expect(revealed.json).toEqual({ statsToken: account.statsToken });
    const { json: next } = await visitor.post('/dashboard/api/keys/stats-token/rotate');
    expect((await stats(account, 'residential/summary')).status).toBe(401);
    expect((await stats({ ...account, ...next }, 'residential/summary')).status).toBe(200);

    const { proxyUser, proxyPassword } = account;
    expect((await visitor.post('/dashboard/api/keys/proxy/reveal')).json).toEqual({
      proxyUser,
      proxyPassword,
    });
    expect((await visitor.post('/dashboard/api/keys/proxy/rotate')).json).not.toEqual({
      proxyUser,
      proxyPassword,
    });

    const { visitor: operator } = await harness.operatorPerson();
    const { json: audit } = await operator.get(`/dashboard/api/operator/audit?text=${account.email}`);
    expect(audit.entries.map(({ actor, action }: any) => [actor, action])).toEqual([
      [account.email, 'proxy-password.rotate'],
      [account.email, 'stats-token.rotate'],
      [account.email, 'key.rotate'],
      [account.email, 'password.set'],
      ['cli', 'account.invitation'],
      ['cli', 'account.create'],
    ]);
    expect(audit.entries[0].address).toBe('127.0.0.1');
  });

  test('saved profiles are listed as over the API, and deleted unless a session will save them', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { visitor: other } = await harness.accountPerson();
    const archive = Buffer.from('cookies').toString('base64');
    harness.gateway.host.onSave = async () => ({ archive });
    const open = async () => (await account.create({ profile: 'shop', saveProfile: true })).json.browserId;
    await account.close(await open());
    const path = '/user/api/profiles';
    const { json } = await visitor.get(path);
    expect(json.profiles).toMatchObject([{ name: 'shop', inUse: false }]);
    expect(json).toEqual((await account.get('/user/api/profiles')).json);
    expect((await other.get(path)).json).toEqual({ profiles: [] });
    expect((await other.delete(`${path}/shop`)).status).toBe(404);
    expect((await other.delete(`${path}/%00`)).status).toBe(404);
    const writer = await open();
    const refused = await visitor.delete(`${path}/shop`);
    expect(refused).toMatchObject({ status: 409, json: { code: 'PROFILE_IN_USE' } });
    await account.close(writer);
    expect((await visitor.delete(`${path}/shop`)).json).toEqual({ name: 'shop' });
    expect((await visitor.get(path)).json).toEqual({ profiles: [] });
  });
});
