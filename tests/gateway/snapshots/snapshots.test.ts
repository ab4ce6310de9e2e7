import { maxSnapshots } from '@turnpike/contract/saved-profile';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  call,
  startGatewayOn,
  type TestAccount,
  type TestGateway,
  testSealer,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const archive = Buffer.from('the cookie is a-secret-cookie').toString('base64');
const dayMs = 86_400_000;

describeEach(quickOn('sqlite'))('snapshots on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    gateway.host.onSnapshot = async () => ({ archive, tabs: 2, lost: ['A tab did not answer.'] });
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const open = async (params: Record<string, unknown> = {}): Promise<string> => {
    const answer = await account.create(params);
    expect(answer.status).toBe(200);
    return answer.json.browserId;
  };
  const ask = (method: string, path: string, body?: object, by = account) =>
    call(`${gateway.url}${path}`, {
      method,
      headers: { 'x-api-key': by.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const take = async (id: string, body?: object) => {
    const answer = await ask('POST', `/api/browser/${id}/snapshot`, body);
    expect(answer.status).toBe(200);
    return answer.json;
  };
  const lastRequest = () => gateway.host.requests.at(-1);

  test('a snapshot is taken of a running session, listed, read, begun with and deleted', async () => {
    const id = await open({ os: 'macos', headless: true });
    const taken = await take(id, { keep: 2, name: 'signed in' });
    expect(taken).toMatchObject({
      ...{ browserId: id, name: 'signed in', tabs: 2, lost: ['A tab did not answer.'], inUse: true },
      snapshot: expect.stringMatching(/^snap_[0-9a-f]{24}$/),
    });
    expect(Date.parse(taken.expiresAt) - Date.parse(taken.createdAt)).toBe(2 * dayMs);
    expect((await account.get(`/api/browser/${id}/status`)).json.status).toBe('ACTIVE');
    expect((await account.get('/user/api/snapshots')).json).toEqual({ snapshots: [taken] });
    await account.close(id);
    const path = `/user/api/snapshots/${taken.snapshot}`;
    expect((await account.get(path)).json).toEqual({ ...taken, inUse: false });

    const next = await account.create({ snapshot: taken.snapshot });
    expect(next.json.browserParams).toMatchObject({ os: 'macos', headless: true, snapshot: taken.snapshot });
    expect(lastRequest()).toMatchObject({
      params: { os: 'macos', headless: true },
      snapshot: { archive, keepsDevice: true },
    });
    expect((await ask('DELETE', path)).json).toEqual({ snapshot: taken.snapshot });
    expect((await ask('DELETE', path)).status).toBe(404);
    expect((await account.get('/user/api/snapshots')).json).toEqual({ snapshots: [] });
  });

  test('parameters that are given win, and another device than the snapshot’s is chosen anew', async () => {
    const id = await open({ os: 'macos', browser_language: 'de-DE' });
    const { snapshot } = await take(id);
    await account.close(id);
    await account.close(await open({ snapshot, os: 'macos', browser_language: 'fr-FR' }));
    expect(lastRequest()).toMatchObject({
      params: { os: 'macos', browserLanguage: 'fr-FR' },
      snapshot: { keepsDevice: true },
    });
    const { json } = await account.create({ snapshot, os: 'linux' });
    expect(json.browserParams).toMatchObject({ os: 'linux', browser_language: 'de-DE' });
    expect(lastRequest()).toMatchObject({
      params: { os: 'linux', browserLanguage: 'de-DE' },
      snapshot: { keepsDevice: false },
    });
  });

  test('of an identity one session runs at a time, unless it is a fork', async () => {
    const id = await open();
    const { snapshot } = await take(id);
    const refused = await account.create({ snapshot });
    expect([refused.status, refused.json.code]).toEqual([409, 'IDENTITY_IN_USE']);
    const fork = await open({ snapshot, fork: true });
    const again = (await take(fork)).snapshot;
    await account.close(id);
    expect((await account.create({ snapshot })).status).toBe(409);
    expect((await account.create({ snapshot: again })).status).toBe(409);
    await account.close(fork);

    const answers = await Promise.all(Array.from({ length: 40 }, () => account.create({ snapshot })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(39);
    const forks = await Promise.all([1, 2, 3].map(() => account.create({ snapshot: again, fork: true })));
    expect(forks.map(({ status }) => status)).toEqual([200, 200, 200]);
    const text = await account.connect({ snapshot });
    expect([text.status, text.headers.get('x-error-code')]).toEqual([409, 'IDENTITY_IN_USE']);
  });

  test('the store has it sealed, for its account and its id only', async () => {
    const { snapshot } = await take(await open());
    const { db } = gateway.running.gateway;
    const row = await db
      .selectFrom('snapshots')
      .selectAll()
      .where('id', '=', snapshot)
      .executeTakeFirstOrThrow();
    expect(Buffer.from(row.sealed).includes('cookie')).toBe(false);
    const opened = testSealer.openBytes(row.sealed, `snapshots.sealed ${account.id} ${snapshot}`);
    expect(opened.toString('base64')).toBe(archive);
    expect(() => testSealer.openBytes(row.sealed, `snapshots.sealed ${account.id} snap_other`)).toThrow();
    const other = await gateway.account();
    expect((await other.create({ snapshot })).status).toBe(400);
    expect((await ask('DELETE', `/user/api/snapshots/${snapshot}`, undefined, other)).status).toBe(404);
    expect((await other.get(`/user/api/snapshots/${snapshot}`)).status).toBe(404);
  });

  test('what cannot be taken says why, and what was not asked for rightly too', async () => {
    const id = await open();
    gateway.host.onSnapshot = async () => ({ notSaved: 'it is larger than 5 bytes' });
    const failed = await ask('POST', `/api/browser/${id}/snapshot`);
    expect([failed.status, failed.json.code, failed.json.detail]).toEqual([
      ...[422, 'SNAPSHOT_FAILED', 'it is larger than 5 bytes'],
    ]);
    for (const body of [{ keep: 0 }, { keep: 366 }, { keep: 'a' }, { name: 5 }])
      expect((await ask('POST', `/api/browser/${id}/snapshot`, body)).status).toBe(400);
    await account.close(id);
    expect((await ask('POST', `/api/browser/${id}/snapshot`)).status).toBe(410);
    expect((await account.create({ snapshot: 'snap_0' })).status).toBe(400);
    expect((await account.create({ snapshot: `snap_${'0'.repeat(24)}` })).json.error).toContain('snapshot');
    expect((await account.create({ fork: true })).json.error).toContain('fork must come with a snapshot');
    expect((await account.create({ snapshot: `snap_${'0'.repeat(24)}`, profile: 'shop' })).status).toBe(400);
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 100 });
  });

  test('an account has so many, however many are taken at once, and expired ones do not count', async () => {
    const id = await open();
    for (let taken = 0; taken < maxSnapshots - 2; taken += 1) await take(id);
    const post = () => ask('POST', `/api/browser/${id}/snapshot`);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(post));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ json }) => json.code)).toEqual(Array(3).fill('TOO_MANY_SNAPSHOTS'));
    const { db } = gateway.running.gateway;
    await db.updateTable('snapshots').set({ expires_at: 1 }).where('account_id', '=', account.id).execute();
    expect((await account.get('/user/api/snapshots')).json).toEqual({ snapshots: [] });
    const [first] = answers.filter(({ status }) => status === 200);
    expect((await account.create({ snapshot: first?.json.snapshot, fork: true })).status).toBe(400);
    await gateway.running.leases.tick();
    const left = await db.selectFrom('snapshots').select('id').where('account_id', '=', account.id).execute();
    expect(left).toEqual([]);
    await take(id);
  });
});
