import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { proxyCredentials, statsToken } from '../../apps/gateway/src/accounts/account-credentials.ts';
import { reinstateAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { storeMeterBackend } from '../../apps/gateway/src/bandwidth/meter-backend.ts';
import type { StoreLocation } from '../../apps/gateway/src/store/database.ts';
import {
  accountCalls,
  Clock,
  call,
  engines,
  startTestGateway,
  testSealer,
  testStore,
} from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const file = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
/** What was in the stores that the dumps are of: secrets, ids, and the day. */
const known = JSON.parse(file('0002.json'));
const hourMs = 3_600_000;

async function load(location: StoreLocation, dump: string): Promise<void> {
  if (location.engine === 'sqlite') {
    const db = new DatabaseSync(location.file);
    db.exec(dump);
    db.close();
    return;
  }
  const client = new Client({ connectionString: location.url });
  await client.connect();
  await client.query(dump).finally(() => client.end());
}

describe.each(engines)('a store of the first release, with what was in it, on %s', (engine) => {
  test('is brought up to date by the next start, and its accounts notice nothing', async () => {
    const { ann, bob, day, ...was } = known[engine];
    await using store = await testStore(engine);
    await load(store.location, file(`0002.${engine}.sql`));
    const clock = new Clock();
    clock.set(Date.parse(`${day}T00:00:00Z`) + 25 * hourMs);
    await using gateway = await startTestGateway(store.location, { hostName: 'host-2', clock });
    const { db } = gateway.running.gateway;
    const account = accountCalls(gateway.url, ann.apiKey);

    // Its host did not come back: the session that ran is DEAD as of the last heartbeat, and billed.
    clock.advance(15_000);
    await gateway.running.leases.tick();
    expect((await account.get(`/api/browser/${was.active}/status`)).json.status).toBe('DEAD');
    expect((await account.get(`/api/browser/${was.activeCdpId}/status`)).json.browserId).toBe(was.active);
    expect((await account.get('/user/api/me')).json).toMatchObject({
      account: { id: ann.id, email: 'ann@example.com', name: 'Ann', status: 'active' },
      limits: { concurrent: 7, browserSecondsCap: 2147483647, createsPerMinute: 90 },
      usage: { browserSeconds: 90, sessions: 3 },
    });
    const { sessions } = (await account.get('/user/api/sessions')).json;
    expect(sessions).toMatchObject([
      { browserId: was.active, status: 'DEAD', billedSeconds: 30, endReason: 'host_lost' },
      { browserId: was.dead, status: 'DEAD', browserParams: { os: 'android', headless: true } },
      { browserId: was.closed, status: 'CLOSED', bytesUp: 1234, bytesDown: 567890, endReason: null },
    ]);
    expect(sessions[2].metadata).toMatchObject({ job: 'Größe "1"', turnpike: { host: 'host-1' } });
    expect(sessions[2].browserParams.proxy).toBe('http://user:***@198.51.100.7:3128');
    expect(await account.connect({ sessionId: was.active })).toMatchObject({
      status: 410,
      text: 'Session is DEAD',
    });

    // Secrets open, and statistics have every byte, also those past 2^53.
    expect(await statsToken(db, testSealer, 'ann@example.com')).toBe(ann.statsToken);
    const { proxyUser, proxyPassword } = ann;
    expect(await proxyCredentials(db, testSealer, 'ann@example.com')).toEqual({ proxyUser, proxyPassword });
    expect(await storeMeterBackend(db).authenticate(proxyUser, proxyPassword)).toEqual({ accountId: ann.id });
    const stats = `${gateway.url}/api/users/stats/residential`;
    const headers = { authorization: `Bearer ${ann.statsToken}` };
    const countries = await call(`${stats}/countries?from=${day}&to=${day}&unit=Kb`, { headers });
    expect(countries.text).toContain('{"country":"US","total_value":9007199254740.993}');
    expect(countries.text).toContain('{"country":"BR","total_value":0.5}');

    // What was counted is not counted again.
    const record = {
      id: 'fleet-1',
      account: ann.id,
      product: 'residential',
      bytes: 1,
      at: `${day}T00:00:00Z`,
    };
    const ingested = await call(`${gateway.url}/operator/api/usage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${was.operatorToken}` },
      body: JSON.stringify([record]),
    });
    expect(ingested.json).toMatchObject({ new: 0, repeated: 1 });

    // And life goes on.
    const opened = await account.create();
    expect(opened.status).toBe(200);
    expect((await account.close(opened.json.browserId)).json.status).toBe('CLOSED');
    const suspended = accountCalls(gateway.url, bob.apiKey);
    expect((await suspended.get('/user/api/me')).status).toBe(401);
    await reinstateAccount(db, 'bob@example.com');
    expect((await suspended.get('/user/api/me')).json.account.email).toBe('bob@example.com');
  });

  test('is the same after a second start', async () => {
    await using store = await testStore(engine);
    await load(store.location, file(`0002.${engine}.sql`));
    for (const hostName of ['host-2', 'host-3']) {
      await using gateway = await startTestGateway(store.location, { hostName });
      const account = accountCalls(gateway.url, known[engine].ann.apiKey);
      expect((await account.get('/user/api/sessions')).json.sessions).toHaveLength(3);
    }
  });
});
