import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOperatorToken } from '../../apps/gateway/src/operator/operator-tokens.ts';
import { call } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';
import { type DashboardHarness, password, startDashboardHarness } from './harness.ts';
import type { Visitor } from './visitor.ts';

watchLeaks();

describeEach(quickOn('postgres'))("the operator's pages on %s", (engine) => {
  let harness: DashboardHarness;
  let operator: Visitor;
  let operatorEmail: string;

  beforeAll(async () => {
    harness = await startDashboardHarness(engine);
    ({ visitor: operator, email: operatorEmail } = await harness.operatorPerson());
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  const get = (path: string) => operator.get(`/dashboard/api/operator/${path}`);
  const post = (path: string, body?: unknown) => operator.post(`/dashboard/api/operator/${path}`, body);
  const latestAudit = async () => (await get('audit?limit=1')).json.entries[0];

  test('an account is made, invited, limited, suspended and reinstated, and all of it is in the audit log', async () => {
    const email = `new-${engine}@example.com`;
    const name = '<img src=x onerror=alert(1)>';
    const { json: made } = await post('accounts', { email, name, limits: { concurrent: 2 } });
    expect(made.account).toMatchObject({ email, name, limits: { concurrent: 2, createsPerMinute: 60 } });
    expect(made.apiKey).toMatch(/^tp_live_/);
    expect((await post('accounts', { email })).json).toEqual({
      code: 'BAD_REQUEST',
      error: `An account with the e-mail address ${email} already exists.`,
      field: 'email',
    });
    expect((await post('accounts', { email: 'nonsense' })).json).toMatchObject({ field: 'email' });

    const person = harness.visitor();
    expect((await person.useLink(made.invitation.url, password)).status).toBe(200);
    const path = `accounts/${made.account.id}`;
    expect((await get(path)).json.signIn.password).toBe(true);

    const headers = { 'x-api-key': made.apiKey };
    const limits = async () => call(`${harness.gateway.url}/user/api/limits`, { headers });
    await post(`${path}/limits`, { concurrent: null, browserSecondsCap: 7200 });
    expect((await limits()).json.unlimited).toBe(true);
    expect(await latestAudit()).toMatchObject({
      actor: operatorEmail,
      action: 'account.limits',
      target: email,
      detail: { concurrent_limit: null, browser_seconds_cap: 7200 },
      address: '127.0.0.1',
    });
    expect((await post(`${path}/limits`, { concurrent: -1 })).json.field).toBe('concurrent');

    expect((await post(`${path}/suspend`)).json.status).toBe('suspended');
    expect((await limits()).status).toBe(401);
    await post(`${path}/reinstate`);
    expect((await limits()).status).toBe(200);
    const { json: reset } = await post(`${path}/reset`);
    expect((await person.useLink(reset.url, 'a new password')).json).toMatchObject({ email });
    const { json: rotated } = await post(`${path}/rotate-key`);
    expect(rotated.apiKey).not.toBe(made.apiKey);
    expect((await limits()).status).toBe(401);
    expect((await get(`${path}/usage`)).json).toMatchObject({ usage: { totals: { sessions: 0 } } });
    expect((await get('accounts/acc_none')).status).toBe(404);

    expect((await get(`accounts?text=${email.toUpperCase()}`)).json.accounts).toHaveLength(1);
    expect((await get('accounts?status=suspended')).json.accounts).toEqual([]);
    const actions = (await get(`audit?text=${email}`)).json.entries.map((entry: any) => entry.action);
    expect(actions).toEqual([
      'key.rotate',
      'password.set',
      'account.reset',
      'account.reinstate',
      'account.suspend',
      'account.limits',
      'password.set',
      'account.invitation',
      'account.create',
    ]);
  });

  test('accounts are paged, newest first', async () => {
    const first = await harness.gateway.account();
    const second = await harness.gateway.account();
    const { json: page } = await get('accounts?limit=1');
    const { json: next } = await get(`accounts?limit=1&cursor=${page.nextCursor}`);
    expect([page, next].map(({ accounts }) => accounts[0].email).sort()).toEqual(
      [first.email, second.email].sort(),
    );
  });

  test("anyone's session is found and ended, without its URLs, and says who ended it", async () => {
    const account = await harness.gateway.account();
    const { json: session } = await account.create({ vnc: true });
    const { json: found } = await get(`sessions?text=${account.email}`);
    expect(found.sessions).toMatchObject([{ browserId: session.browserId, email: account.email }]);
    expect(JSON.stringify(found)).not.toContain('/cdp/');
    expect((await get(`sessions?account=${account.id}&status=ACTIVE`)).json.sessions).toHaveLength(1);
    expect((await get('sessions?host=nowhere')).json.sessions).toEqual([]);
    const { json: traffic } = await get(`sessions/${session.browserId}/traffic`);
    expect(traffic).toMatchObject({ bytesDown: 0, destinations: [], complete: true, estimate: null });
    expect((await get('sessions/nothing/traffic')).status).toBe(404);
    const { json: ended } = await post(`sessions/${session.browserId}/close`);
    expect(ended).toMatchObject({ status: 'CLOSED', endReason: 'operator' });
    expect(await latestAudit()).toMatchObject({ action: 'session.close', target: session.browserId });
    expect((await account.get('/user/api/limits')).json.active).toBe(0);
  });

  test('statistics count what started, was billed and was lost, by day, as the record has it', async () => {
    const today = (await get('statistics')).json.days.at(-1);
    const account = await harness.gateway.account();
    const { json: closed } = await account.create();
    await account.close(closed.browserId);
    const { json: crashed } = await account.create();
    const { db } = harness.gateway.running.gateway;
    await db.updateTable('sessions').set({ state: 'DEAD' }).where('id', '=', crashed.browserId).execute();
    const { json } = await get('statistics');
    expect(json.days).toHaveLength(30);
    expect(json.days.at(-1)).toEqual({
      date: json.to,
      started: today.started + 2,
      lost: today.lost + 1,
      browserSeconds: today.browserSeconds + 30,
      failedCreates: today.failedCreates,
    });
    expect((await get('statistics?from=2026-01-01&to=2026-01-03')).json.days).toEqual([
      { date: '2026-01-01', started: 0, lost: 0, browserSeconds: 0, failedCreates: 0 },
      { date: '2026-01-02', started: 0, lost: 0, browserSeconds: 0, failedCreates: 0 },
      { date: '2026-01-03', started: 0, lost: 0, browserSeconds: 0, failedCreates: 0 },
    ]);
    expect((await get('statistics?from=2019-01-01')).json.error).toContain('Range too large');
  });

  test('a close that the host refuses leaves no reason behind', async () => {
    const account = await harness.gateway.account();
    const { json: session } = await account.create();
    harness.gateway.host.onClose = async () => {
      throw new Error('not now');
    };
    expect((await post(`sessions/${session.browserId}/close`)).status).toBe(502);
    harness.gateway.host.onClose = async () => {};
    await account.close(session.browserId);
    expect((await get(`sessions/${session.browserId}`)).json.endReason).toBe('client_close');
  });

  test('hosts are listed, drained and used again', async () => {
    const { json } = await get('hosts');
    expect(json.hosts).toMatchObject([{ name: 'stand-in', state: 'live', publicUrl: 'wss://host.example' }]);
    await post('hosts/stand-in/drain');
    expect((await get('hosts')).json.hosts[0].state).toBe('draining');
    expect((await get('overview')).json.hosts).toEqual({ live: 0, draining: 1, lost: 0 });
    await post('hosts/stand-in/undrain');
    expect(await latestAudit()).toMatchObject({ action: 'host.undrain', target: 'stand-in' });
    expect((await post('hosts/nowhere/drain')).status).toBe(400);
  });

  test('what came in is kept batch by batch, with what was refused', async () => {
    const account = await harness.gateway.account();
    const { json: made } = await post('tokens', { name: `fleet ${engine}` });
    const record = {
      id: `b-${engine}`,
      account: account.id,
      product: 'residential',
      bytes: 5000,
      at: Date.now(),
    };
    const send = () =>
      call(`${harness.gateway.url}/operator/api/usage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${made.token}` },
        body: JSON.stringify([record, { ...record, id: 'c', product: script }]),
      });
    await send();
    await send();
    const { json } = await get('ingestion');
    expect(json.batches).toMatchObject([
      { source: `token fleet ${engine}`, new: 0, repeated: 1, refused: 1, bytes: 0 },
      { new: 1, repeated: 0, refused: 1, bytes: 5000, errors: [{ line: 2, id: 'c' }] },
    ]);
    expect((await get('products')).json.products[0]).toMatchObject({
      product: 'residential',
      windowBytes: 5000,
    });
    await post(`tokens/${made.id}/revoke`);
    expect((await send()).status).toBe(401);
    expect((await get('tokens')).json.tokens).toEqual([]);
  });

  test('machines do the same with a token, and the log says which', async () => {
    const { token } = await createOperatorToken(harness.gateway.running.gateway.db, 'automation');
    const machine = (path: string, init: RequestInit = {}) =>
      call(`${harness.gateway.url}/operator/api/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}` },
      });
    const account = await harness.gateway.account();
    expect((await machine(`accounts/${account.id}`)).json).toEqual(
      (await get(`accounts/${account.id}`)).json,
    );
    const body = JSON.stringify({ createsPerMinute: 7 });
    const changed = await machine(`accounts/${account.id}/limits`, { method: 'POST', body });
    expect(changed.json.limits.createsPerMinute).toBe(7);
    expect(await latestAudit()).toMatchObject({ actor: 'token automation', action: 'account.limits' });
  });

  test('operators invite and remove each other; one is always left', async () => {
    const { email, visitor } = await harness.operatorPerson();
    const { json } = await get('operators');
    const idOf = (wanted: string) => json.operators.find((one: any) => one.email === wanted).id;
    expect((await post(`operators/${idOf(operatorEmail)}/remove`)).json.error).toBe(
      'You cannot remove yourself.',
    );
    const account = await harness.gateway.account();
    expect((await post('operators', { email: account.email })).json).toEqual({
      code: 'BAD_REQUEST',
      error: `${account.email} is the e-mail address of an account.`,
      field: 'email',
    });
    const other = await post('operators', { email: `third-${engine}@example.com` });
    expect(other.json.url).toContain('/welcome#token=');
    const third = (await get('operators')).json.operators.at(-1);
    expect((await post(`operators/${third.id}/remove`)).status).toBe(200);
    expect((await harness.visitor().useLink(other.json.url, password)).status).toBe(410);
    const removals = await Promise.all([
      post(`operators/${idOf(email)}/remove`),
      visitor.post(`/dashboard/api/operator/operators/${idOf(operatorEmail)}/remove`),
    ]);
    expect(removals.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

const script = '<script>alert(1)</script>';
