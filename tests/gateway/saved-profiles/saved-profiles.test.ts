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

const archive = Buffer.from('the cookie is a-secret-cookie');

describeEach(quickOn('sqlite'))('saved profiles on %s', (engine) => {
  let gateway: TestGateway;
  let account: TestAccount;

  beforeAll(async () => {
    gateway = await startGatewayOn(engine);
  });
  beforeEach(async () => {
    gateway.host.onSave = async () => ({ archive: archive.toString('base64') });
    account = await gateway.account({ creates_per_minute: 1000, concurrent_limit: 100 });
  });

  afterAll(() => gateway[Symbol.asyncDispose]());

  const open = async (params: Record<string, unknown>, by = account): Promise<string> => {
    const answer = await by.create(params);
    expect(answer.status).toBe(200);
    return answer.json.browserId;
  };
  const save = async (profile: string, by = account): Promise<string> => {
    const id = await open({ profile, saveProfile: true }, by);
    expect(await by.close(id)).toMatchObject({ status: 200, json: { status: 'CLOSED' } });
    return id;
  };
  const list = async (by = account) => (await by.get('/user/api/profiles')).json.profiles;
  const names = async (by = account) => (await list(by)).map(({ name }: { name: string }) => name);
  const remove = (name: string, by = account) =>
    call(`${gateway.url}/user/api/profiles/${name}`, { method: 'DELETE', headers: { 'x-api-key': by.key } });
  const facts = async (id: string) => (await account.get(`/api/browser/${id}/status`)).json.metadata.turnpike;
  const lastRequest = () => gateway.host.requests.at(-1)?.profile;

  test('what a session leaves at its close is what the next one begins with, on both create paths', async () => {
    const first = await open({ profile: 'shop', saveProfile: true });
    expect(lastRequest()).toEqual({ maxBytes: 2 ** 20 });
    expect(await list()).toEqual([]);
    await account.close(first);
    expect(await facts(first)).toMatchObject({ profileSaved: true });
    expect(await list()).toMatchObject([{ name: 'shop', bytes: archive.length, inUse: false }]);

    const second = await open({ profile: 'shop' });
    expect(lastRequest()).toEqual({ archive: archive.toString('base64') });
    const { json } = await account.get(`/api/browser/${second}/status`);
    expect(json.browserParams).toMatchObject({ savedProfile: 'shop', saveProfile: false });
    await account.connect({ profile: 'shop', saveProfile: 'true' });
    expect(lastRequest()).toEqual({ archive: archive.toString('base64'), maxBytes: 2 ** 20 });
    expect(await list()).toMatchObject([{ name: 'shop', inUse: true }]);
  });

  test('it keeps the device of the session that saved it, unless another one or system is asked for', async () => {
    const asked = () => gateway.host.requests.at(-1)?.params;
    gateway.host.device = 'windows.t14g2.1000';
    await open({ profile: 'shop' });
    await account.close(await open({ profile: 'shop', saveProfile: true }));
    gateway.host.device = undefined;
    await open({ profile: 'shop' });
    expect(asked()).toMatchObject({ os: 'windows', device: 'windows.t14g2.1000' });
    await open({ profile: 'shop', os: 'macos' });
    expect(asked()).not.toHaveProperty('device');
    await open({ profile: 'shop', device_seed: 'ann' });
    expect(asked()).not.toHaveProperty('device');
    await open({ profile: 'shop', device: 'linux.t480.0000' });
    expect(asked()).toMatchObject({ os: 'linux', device: 'linux.t480.0000' });
    await open({ profile: 'bank' });
    expect(asked()).not.toHaveProperty('device');
    // A host of the version before says nothing of a device.
    await save('shop');
    await open({ profile: 'shop' });
    expect(asked()).toMatchObject({ device: 'windows.t14g2.1000' });
  });

  test('nothing of it reaches another account, another name or a session without one', async () => {
    await save('shop');
    const other = await gateway.account();
    await open({ profile: 'shop' }, other);
    expect(lastRequest()).toEqual({});
    await open({ profile: 'bank' });
    expect(lastRequest()).toEqual({});
    await open({});
    expect(lastRequest()).toBeUndefined();
    expect(await list(other)).toEqual([]);
    expect((await remove('shop', other)).status).toBe(404);
    expect(await names()).toEqual(['shop']);
  });

  test('the store has it sealed, for its account and its name only', async () => {
    await save('shop');
    const { db } = gateway.running.gateway;
    const row = await db
      .selectFrom('saved_profiles')
      .selectAll()
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow();
    expect(Buffer.from(row.sealed).includes('cookie')).toBe(false);
    const sealedFor = `saved profile ${account.id} shop`;
    expect(testSealer.openBytes(row.sealed, sealedFor)).toEqual(archive);
    expect(() => testSealer.openBytes(row.sealed, `saved profile ${account.id} bank`)).toThrow();

    await db
      .updateTable('saved_profiles')
      .set({ name: 'bank' })
      .where('account_id', '=', account.id)
      .execute();
    const moved = await account.create({ profile: 'bank' });
    expect(moved.status).toBe(502);
    expect(moved.json.detail).toContain('cannot be unsealed');
  });

  test('of fifty creates at once that would save a profile one does, and the others are 409', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => account.create({ profile: 'shop', saveProfile: true })),
    );
    const opened = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 409);
    expect([opened.length, refused.length]).toEqual([1, 49]);
    expect(refused[0]?.json).toMatchObject({ code: 'PROFILE_IN_USE' });
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 1, remaining: 99 });

    const text = await account.connect({ profile: 'shop', saveProfile: 'true', wait: '30' });
    expect([text.status, text.headers.get('x-error-code')]).toEqual([409, 'PROFILE_IN_USE']);
    await open({ profile: 'shop' });
    await open({ profile: 'shop' });
    await open({ profile: 'bank', saveProfile: true });
    expect((await remove('shop')).json).toMatchObject({ code: 'PROFILE_IN_USE' });
    await account.close(opened[0]?.json.browserId);
    await save('shop');
    expect((await remove('shop')).json).toEqual({ name: 'shop' });
    expect(await names()).toEqual([]);
  });

  test('a create that fails releases its profile', async () => {
    gateway.host.onOpen = async () => {
      throw new Error('told to fail');
    };
    expect((await account.create({ profile: 'shop', saveProfile: true })).status).toBe(502);
    gateway.host.onOpen = async () => {};
    await save('shop');
  });

  test('a session that dies or expires leaves what was saved before', async () => {
    await save('shop');
    gateway.host.onSave = async () => ({ archive: Buffer.from('later').toString('base64') });
    for (const cause of ['gone', 'expired'] as const) {
      const id = await open({ profile: 'shop', saveProfile: true });
      gateway.host.end(id, cause);
      await account.close(id);
    }
    expect(await list()).toMatchObject([{ name: 'shop', bytes: archive.length, inUse: false }]);
  });

  test('what cannot be saved keeps nobody from closing, and the session says why', async () => {
    await save('shop');
    gateway.host.onSave = async () => ({ notSaved: 'it is larger than 1048576 bytes' });
    const id = await save('shop');
    expect(await facts(id)).toMatchObject({
      profileSaved: false,
      profileError: 'it is larger than 1048576 bytes',
    });
    expect(await list()).toMatchObject([{ name: 'shop', bytes: archive.length }]);
  });

  test('an account has at most twenty', async () => {
    for (let i = 0; i < 20; i++) await save(`profile-${i}`);
    expect(await facts(await save('one-more'))).toMatchObject({
      profileSaved: false,
      profileError: 'the account has 20 others; delete one',
    });
    expect(await facts(await save('profile-7'))).toMatchObject({ profileSaved: true });
    await remove('profile-3');
    expect(await facts(await save('one-more'))).toMatchObject({ profileSaved: true });
    expect(await names()).toHaveLength(20);
  });

  test('closes at once save once, and never over what a later session saved', async () => {
    const id = await open({ profile: 'shop', saveProfile: true });
    const late = Promise.withResolvers<void>();
    let calls = 0;
    gateway.host.onSave = async () => {
      calls += 1;
      if (calls === 1) await late.promise;
      return { archive: archive.toString('base64') };
    };
    const slow = account.close(id);
    await expect.poll(() => calls).toBe(1);
    expect((await account.close(id)).json).toMatchObject({ status: 'CLOSED' });
    gateway.host.onSave = async () => ({ archive: Buffer.from('later').toString('base64') });
    await save('shop');
    late.resolve();
    expect((await slow).json).toMatchObject({ status: 'CLOSED' });
    expect(await list()).toMatchObject([{ name: 'shop', bytes: 'later'.length }]);
  });

  test('a host that cannot be asked leaves the session running, with its profile to be saved', async () => {
    const id = await open({ profile: 'shop', saveProfile: true });
    gateway.host.onSave = () => Promise.reject(new Error('out of reach'));
    expect(await account.close(id)).toMatchObject({
      status: 502,
      json: { error: 'Backend DELETE failed: out of reach' },
    });
    gateway.host.onSave = async () => ({ archive: archive.toString('base64') });
    expect((await account.close(id)).json).toMatchObject({ status: 'CLOSED' });
    expect(await names()).toEqual(['shop']);
  });

  test('a name is of 1 to 64 plain characters, and to save takes one', async () => {
    for (const profile of ['', '..', '-a', 'a/b', 'a b', 'ä', 'x'.repeat(65), 7, ['a']]) {
      const answer = await account.create({ profile });
      expect(answer.status).toBe(400);
      expect(answer.json.error).toMatch(/^Malformed browser params: profile must be/);
    }
    const nameless = await account.connect({ saveProfile: 'true' });
    const rule = 'Malformed browser params: saveProfile must come with a profile';
    expect([nameless.status, nameless.text]).toEqual([400, rule]);
    expect((await account.create({ saveProfile: 'yes' })).status).toBe(200);
  });

  test('a parameter has two names, the older one works too, and answers keep it', async () => {
    const both = { idle_timeout: '60', idleTimeout: '60' };
    const ids = [
      await open({ profile: 'shop', save_profile: true, idle_timeout: 60 }),
      (await account.connect({ profile: 'bank', save_profile: 'true', ...both })).headers.get('x-session-id'),
    ];
    for (const id of ids) {
      const { json } = await account.get(`/api/browser/${id}/status`);
      expect(json.browserParams).toMatchObject({ saveProfile: true, idleTimeout: 60 });
    }
    const differing = { idle_timeout: '60', idleTimeout: '90' };
    const rule = 'idle_timeout must not differ from idleTimeout, its older name. Give one of them';
    const [query, body] = [await account.connect(differing), await account.create(differing)];
    expect([query.status, query.text]).toEqual([400, `Malformed browser params: ${rule}`]);
    expect([body.status, body.json.error]).toEqual([400, `Malformed browser params: ${rule}`]);
  });
});
