import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, startDashboardHarness } from './harness.ts';

watchLeaks();

const lines = (text: string): string[][] =>
  text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));

describeEach(quickOn('postgres'))('lists and their exports on %s', (engine) => {
  let harness: DashboardHarness;

  beforeAll(async () => {
    harness = await startDashboardHarness(engine);
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  test('sessions are exported with the filters of the list, and only those of the account', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { account: other } = await harness.accountPerson();
    await other.create();
    const first = (await account.create({ os: 'linux', metadata: { job: '=1+1' } })).json.browserId;
    const second = (await account.create()).json.browserId;
    await account.close(first);
    const all = await visitor.get('/dashboard/api/sessions/csv');
    expect(all.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(all.headers.get('content-disposition')).toBe('attachment; filename="sessions.csv"');
    const [header, ...rows] = lines(all.text);
    expect(header?.slice(0, 3)).toEqual(['session', 'status', 'created']);
    expect(rows.map(([id]) => id).sort()).toEqual([first, second].sort());
    expect(all.text).toContain(':***@');
    const closed = await visitor.get('/dashboard/api/sessions/csv?status=CLOSED');
    expect(lines(closed.text).map(([id]) => id)).toEqual(['session', first]);
    expect((await visitor.get('/dashboard/api/sessions/csv?status=OPEN')).status).toBe(400);
  });

  test('an export has more rows than a page', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { json } = await account.create();
    await account.close(json.browserId);
    const { db } = harness.gateway.running.gateway;
    const row = await db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', json.browserId)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 450 }, (_, index) => ({
      ...row,
      id: `copy_${index}`,
      cdp_id: `copy_${index}`,
      created_at: row.created_at - index,
    }));
    await db.insertInto('sessions').values(copies).execute();
    const { text } = await visitor.get('/dashboard/api/sessions/csv');
    const ids = lines(text).map(([id]) => id);
    expect(new Set(ids).size).toBe(1 + 1 + 450);
  });

  test('events are listed newest first, filtered, paged and exported', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { browserId } = (await account.create()).json;
    await account.close(browserId);
    await account.create();
    const get = async (query: string) => (await visitor.get(`/dashboard/api/events${query}`)).json;
    const types = (page: any) => page.events.map(({ type }: any) => type);
    expect(types(await get(''))).toEqual(['session.started', 'session.closed', 'session.started']);
    expect(types(await get(`?session=${browserId}`))).toEqual(['session.closed', 'session.started']);
    expect(types(await get('?type=session.closed'))).toEqual(['session.closed']);
    const page = await get('?limit=2');
    const next = await get(`?limit=2&cursor=${page.nextCursor}`);
    expect([...page.events, ...next.events].map(({ seq }: any) => seq)).toEqual([3, 2, 1]);
    expect(next.nextCursor).toBeNull();
    const { text } = await visitor.get('/dashboard/api/events/csv?type=session.closed');
    expect(lines(text)).toMatchObject([
      ['time', 'event', 'id', 'session', 'end_reason', 'billed_seconds'],
      [expect.any(String), 'session.closed', expect.stringMatching(/^evt_/), browserId, 'client_close', '30'],
    ]);
    for (const query of ['?type=session.born', '?limit=0', '?cursor=x']) {
      expect((await visitor.get(`/dashboard/api/events${query}`)).status).toBe(400);
    }
    const { visitor: other } = await harness.accountPerson();
    expect((await other.get('/dashboard/api/events')).json.events).toEqual([]);
  });

  test('a filter that matches nothing near goes on further back', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { db } = harness.gateway.running.gateway;
    const event = (seq: number, type: 'session.started' | 'session.dead') => ({
      account_id: account.id,
      seq,
      id: `evt_${engine}_${account.id}_${seq}`,
      type,
      session_id: null,
      at: Date.now(),
      data: '{}',
    });
    await db
      .insertInto('events')
      .values([event(1, 'session.dead'), event(6000, 'session.started')])
      .execute();
    await db.updateTable('accounts').set({ event_seq: 6000 }).where('id', '=', account.id).execute();
    const path = '/dashboard/api/events?type=session.dead';
    const { json: first } = await visitor.get(path);
    expect(first.events).toEqual([]);
    const { json: second } = await visitor.get(`${path}&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ events: [{ seq: 1 }], nextCursor: null });
  });

  test('an operator exports accounts, sessions and the audit log; names cannot be formulas', async () => {
    const { visitor: operator } = await harness.operatorPerson();
    const get = (path: string) => operator.get(`/dashboard/api/operator/${path}`);
    const email = `csv-${engine}@example.com`;
    await operator.post('/dashboard/api/operator/accounts', { email, name: '=HYPERLINK("x")' });
    const accounts = await get(`accounts/csv?text=${email}`);
    expect(lines(accounts.text)).toHaveLength(2);
    expect(accounts.text).toContain(`"'=HYPERLINK(""x"")"`);
    const account = await harness.gateway.account();
    const { browserId } = (await account.create()).json;
    const sessions = await get(`sessions/csv?account=${account.id}`);
    expect(lines(sessions.text)[1]?.slice(0, 3)).toEqual([account.email, 'stand-in', browserId]);
    expect(sessions.text).not.toContain('/cdp/');
    const audit = await get(`audit/csv?text=${email}`);
    expect(lines(audit.text).map(([, , action]) => action)).toEqual([
      'action',
      'account.invitation',
      'account.create',
    ]);
    const { visitor } = await harness.accountPerson();
    expect((await visitor.get('/dashboard/api/operator/accounts/csv')).status).toBe(403);
  });
});
