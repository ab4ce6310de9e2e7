import { HostError, type SaveResult } from '@turnpike/contract/host';
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

const base64 = (text: string) => Buffer.from(text).toString('base64');
const notAsked = { notSaved: 'the session was not opened to save one' };
const leaving =
  (text: string): (() => Promise<SaveResult>) =>
  async () => ({ ...notAsked, cache: { archive: base64(text) } });

describeEach(quickOn('postgres'))('saved caches on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    gateway.host.onSave = leaving('scripts');
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });

  afterAll(() => gateway[Symbol.asyncDispose]());

  const open = async (params: Record<string, unknown>, by = account): Promise<string> => {
    const answer = await by.create(params);
    expect(answer.status).toBe(200);
    return answer.json.browserId;
  };
  const save = async (cache: string): Promise<string> => {
    const id = await open({ cache });
    expect(await account.close(id)).toMatchObject({ status: 200, json: { status: 'CLOSED' } });
    return id;
  };
  const list = async (by = account) => (await by.get('/user/api/caches')).json.caches;
  const remove = (name: string, by = account) =>
    call(`${gateway.url}/user/api/caches/${name}`, { method: 'DELETE', headers: { 'x-api-key': by.key } });
  const facts = async (id: string) => (await account.get(`/api/browser/${id}/status`)).json.metadata.turnpike;
  const record = async (id: string) =>
    (await account.get('/user/api/sessions')).json.sessions.find(
      ({ browserId }: { browserId: string }) => browserId === id,
    );
  const lastRequest = () => gateway.host.requests.at(-1)?.cache;

  test('what a session leaves at its close is what the next one begins with, on both create paths', async () => {
    const first = await open({ cache: 'shop' });
    expect(lastRequest()).toEqual({ maxBytes: 2 ** 20 });
    expect(await list()).toEqual([]);
    await account.close(first);
    expect(await facts(first)).toMatchObject({ cacheSaved: true });
    expect(await facts(first)).not.toHaveProperty('profileSaved');
    expect(await list()).toMatchObject([{ name: 'shop', bytes: 'scripts'.length, inUse: false }]);

    await account.connect({ cache: 'shop' });
    expect(lastRequest()).toEqual({ archive: base64('scripts'), maxBytes: 2 ** 20 });
    expect(await list()).toMatchObject([{ name: 'shop', inUse: true }]);
    expect((await remove('shop')).json).toMatchObject({ code: 'CACHE_IN_USE' });
  });

  test('of fifty creates at once one will save it, and all have it', async () => {
    await save('shop');
    const before = gateway.host.requests.length;
    const ids = await Promise.all(Array.from({ length: 50 }, () => open({ cache: 'shop' })));
    const requests = gateway.host.requests.slice(before).map(({ cache }) => cache);
    expect(requests.filter((cache) => cache?.archive === base64('scripts'))).toHaveLength(50);
    expect(requests.filter((cache) => cache?.maxBytes !== undefined)).toHaveLength(1);
    let calls = 0;
    gateway.host.onSave = () => {
      calls += 1;
      return leaving('later')();
    };
    await Promise.all(ids.map((id) => account.close(id)));
    expect(calls).toBe(1);
    expect(await list()).toMatchObject([{ name: 'shop', bytes: 'later'.length, inUse: false }]);
    expect((await remove('shop')).json).toEqual({ name: 'shop' });
    expect((await remove('shop')).status).toBe(404);
  });

  test('nothing of it reaches another account, another name or a session without one', async () => {
    await save('shop');
    const other = await gateway.account();
    await open({ cache: 'shop' }, other);
    expect(lastRequest()).toEqual({ maxBytes: 2 ** 20 });
    await open({ cache: 'bank' });
    expect(lastRequest()).toEqual({ maxBytes: 2 ** 20 });
    await open({ profile: 'shop' });
    expect(lastRequest()).toBeUndefined();
    expect(await list(other)).toEqual([]);
    expect((await remove('shop', other)).json).toMatchObject({ code: 'CACHE_IN_USE' });
    expect(await list()).toMatchObject([{ name: 'shop' }]);
    expect((await account.get('/user/api/profiles')).json.profiles).toEqual([]);
  });

  test('the store has it sealed for its account and name; one that does not open counts as empty', async () => {
    await save('shop');
    const { db } = gateway.running.gateway;
    const rows = () => db.selectFrom('saved_caches').selectAll().where('account_id', '=', account.id);
    const row = await rows().executeTakeFirstOrThrow();
    expect(Buffer.from(row.sealed).includes('scripts')).toBe(false);
    expect(testSealer.openBytes(row.sealed, `saved_caches.sealed ${account.id} shop`).toString()).toBe(
      'scripts',
    );

    await db.updateTable('saved_caches').set({ name: 'bank' }).where('account_id', '=', account.id).execute();
    await open({ cache: 'bank' });
    expect(lastRequest()).toEqual({ maxBytes: 2 ** 20 });
  });

  test('a session may save a profile and a cache, and each says whether it was saved', async () => {
    gateway.host.onSave = async () => ({
      archive: base64('cookies'),
      cache: { notSaved: 'it could not be read' },
    });
    const id = await open({ profile: 'shop', saveProfile: true, cache: 'shop' });
    await account.close(id);
    expect(await facts(id)).toMatchObject({
      profileSaved: true,
      cacheSaved: false,
      cacheError: 'it could not be read',
    });
    expect(await list()).toEqual([]);
    // A host of an earlier version knows of no cache.
    gateway.host.onSave = async () => ({ archive: base64('cookies') });
    const next = await open({ profile: 'shop', saveProfile: true, cache: 'shop' });
    await account.close(next);
    expect(await facts(next)).toMatchObject({ profileSaved: true, cacheError: 'its host cannot save it' });
  });

  test('a create that fails, and a session that dies, leave the cache to the next', async () => {
    gateway.host.onOpen = async () => {
      throw new Error('told to fail');
    };
    expect((await account.create({ cache: 'shop' })).status).toBe(502);
    gateway.host.onOpen = async () => {};
    const dead = await open({ cache: 'shop' });
    gateway.host.end(dead, 'gone');
    await expect.poll(async () => (await record(dead)).status).toBe('DEAD');
    await save('shop');
    expect(await list()).toMatchObject([{ name: 'shop' }]);
  });

  test('a name is of 1 to 64 plain characters', async () => {
    for (const cache of ['', '..', 'a/b', 'x'.repeat(65), 7]) {
      expect((await account.create({ cache })).json.error).toMatch(
        /^Malformed browser params: cache must be/,
      );
    }
  });

  test('what a session saved is in its record, while it runs and after', async () => {
    const id = await open({ block: 'images,ads', cache: 'shop' });
    expect(gateway.host.requests.at(-1)?.params.block).toEqual(['images', 'ads']);
    expect(await record(id)).not.toHaveProperty('refusedRequests');
    gateway.host.transfer(id, 1, 2, { refusedRequests: { images: 3, ads: 0 }, bytesFromCache: 10 });
    await gateway.running.leases.tick();
    expect(await record(id)).toMatchObject({ refusedRequests: { images: 3, ads: 0 }, bytesFromCache: 10 });
    gateway.host.transfer(id, 1, 2, { refusedRequests: { images: 4, ads: 1 }, bytesFromCache: 20 });
    await account.close(id);
    expect(await record(id)).toMatchObject({ refusedRequests: { images: 4, ads: 1 }, bytesFromCache: 20 });
  });

  test('what is blocked is of a few words, and needs a filter list where it is ads or trackers', async () => {
    const rule = 'must be a list of images, media, fonts, stylesheets, ads and trackers';
    for (const block of ['pictures', ['images', 7], 'images,media,fonts,stylesheets,ads,trackers,ads']) {
      const answer = await account.create({ block });
      expect([answer.status, answer.json.error]).toEqual([400, `Malformed browser params: block ${rule}`]);
    }
    gateway.host.onOpen = async () => {
      throw new HostError('NO_FILTER_LIST', 'has ads, for which this service has no filter list');
    };
    const refused = await account.create({ block: ['ads'] });
    gateway.host.onOpen = async () => {};
    const why = 'Malformed browser params: block has ads, for which this service has no filter list';
    expect([refused.status, refused.json.error]).toEqual([400, why]);
  });
});
