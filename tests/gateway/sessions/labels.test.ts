import { Turnpike } from 'turnpike-client';
import { expect, test } from 'vitest';
import { call, startGatewayOn } from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks({ wholeFile: true });

/** What people call a session: names and tags, given at its create or changed later, and found by them. */

describeEach(quickOn('sqlite'))('labels on %s', (engine) => {
  test('a session has its name and tags wherever it is shown, and can be given others', async () => {
    await using gateway = await startGatewayOn(engine);
    const account = await gateway.account();
    const client = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
    const created = await account.create({ name: 'Café ☕ test', tags: ['nightly', 'team:web', 'nightly'] });
    const given = { name: 'Café ☕ test', tags: ['nightly', 'team:web'] };
    expect(created.json).toMatchObject(given);
    const { browserId } = created.json;
    expect(await client.status(browserId)).toMatchObject(given);
    expect(await client.statuses([browserId])).toMatchObject([given]);
    expect(await client.listBrowsers()).toMatchObject([given]);
    expect((await account.get('/user/api/sessions')).json.sessions).toMatchObject([given]);
    expect(created.json.browserParams).not.toHaveProperty('name');

    expect(await client.changeLabels(browserId, { tags: ['later'] })).toMatchObject({
      ...given,
      tags: ['later'],
    });
    const bare = await client.changeLabels(browserId, { name: null, tags: [] });
    expect(bare).not.toHaveProperty('name');
    expect(bare).not.toHaveProperty('tags');
    await account.close(browserId);
    expect(await client.changeLabels(browserId, { name: 'kept' })).toMatchObject({
      name: 'kept',
      status: 'CLOSED',
    });
    const events = await gateway.running.gateway.db
      .selectFrom('events')
      .select('data')
      .orderBy('seq')
      .execute();
    expect(events.map(({ data }) => JSON.parse(data).name)).toEqual(['Café ☕ test', undefined]);
  });

  test('sessions are found by name and by tag, and by a part of either on the pages', async () => {
    await using gateway = await startGatewayOn(engine);
    const account = await gateway.account();
    const client = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
    await account.create({ name: 'one', tags: 'a,ab' });
    await account.create({ name: 'two', tags: ['a'] });
    await account.create({ metadata: { name: 'three' } });
    const names = async (options: { name?: string; tag?: string }) => {
      const found: (string | undefined)[] = [];
      for await (const { name } of client.listSessions(options)) found.push(name);
      return found;
    };
    expect(await names({})).toEqual(['three', 'two', 'one']);
    expect(await names({ tag: 'a' })).toEqual(['two', 'one']);
    expect(await names({ tag: 'ab' })).toEqual(['one']);
    expect(await names({ tag: 'b' })).toEqual([]);
    expect(await names({ tag: '%' })).toEqual([]);
    expect(await names({ name: 'three' })).toEqual(['three']);
    expect(await names({ name: 'one', tag: 'a' })).toEqual(['one']);
    expect((await account.get('/user/api/sessions?tag=a&tag=b')).status).toBe(400);
  });

  test('a client that gives no name sees none, whatever its metadata has', async () => {
    await using gateway = await startGatewayOn(engine);
    const account = await gateway.account();
    const created = await account.create({ metadata: { name: 'of the metadata' } });
    expect(created.json).not.toHaveProperty('name');
    expect((await account.get('/api/browsers')).json[0]).toStrictEqual({
      browserId: created.json.browserId,
      cdpUrl: created.json.cdpUrl,
      status: 'ACTIVE',
      createdAt: created.json.createdAt,
      expiresAt: created.json.expiresAt,
    });
    expect((await account.get('/user/api/sessions')).json.sessions[0].name).toBe('of the metadata');
    for (const name of [7, '', 'a\nb', 'x'.repeat(201)]) await account.create({ metadata: { name } });
    const { sessions } = (await account.get('/user/api/sessions')).json;
    expect(sessions.slice(0, 4).map((each: { name?: string }) => each.name)).toEqual(
      Array(4).fill(undefined),
    );
  });

  test('names and tags of a wrong form are refused, and another account changes nothing', async () => {
    await using gateway = await startGatewayOn(engine);
    const account = await gateway.account();
    for (const name of ['', 'x'.repeat(201), 'a\u0000b', 'a\u001bb', '\ud800'])
      expect((await account.create({ name })).text).toContain('name must be 1 to 200 characters');
    for (const tags of [['a b'], ['"'], ['x'.repeat(65)], Array.from({ length: 21 }, (_, at) => `t${at}`)])
      expect((await account.create({ tags })).text).toContain('tags must be at most 20 tags');
    const { browserId } = (await account.create()).json;
    const change = (by: { key: string }, body: object) =>
      call(`${gateway.url}/api/browser/${browserId}`, {
        method: 'PATCH',
        headers: { 'x-api-key': by.key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const body of [
      {},
      { name: 'a\u0007b' },
      { name: '' },
      { tags: ['a b'] },
      { tags: 'a' },
      { name: 1 },
    ])
      expect((await change(account, body)).status).toBe(400);
    expect((await change(await gateway.account(), { name: 'mine' })).status).toBe(404);
    expect((await account.get(`/api/browser/${browserId}/status`)).json).not.toHaveProperty('name');
  });
});
