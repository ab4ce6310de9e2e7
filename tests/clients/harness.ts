import type { TrafficReport } from '@turnpike/contract/traffic';
import { createLogger } from '@turnpike/process/logger';
import { sql } from 'kysely';
import { type Browser, chromium } from 'playwright-core';
import { expect } from 'vitest';
import { createAccount, setLimits } from '../../apps/gateway/src/accounts/manage-account.ts';
import { secretKey, storeLocation } from '../../apps/gateway/src/config.ts';
import { Sealer } from '../../apps/gateway/src/secrets/sealer.ts';
import { openDatabase } from '../../apps/gateway/src/store/database.ts';
import { startTestGateway, testStore } from '../fixtures/gateway/gateway.ts';
import { freePort } from '../fixtures/network/free-port.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { startService } from '../fixtures/service/service.ts';
import type { ServiceHarness } from './run-scenario.ts';
import type { Scenario, ServiceStep } from './scenarios.ts';

/** The running service of a scenario run; each scenario of each client is an account of its own on it. */
export interface ScenarioHarness extends AsyncDisposable {
  harness(limits: Scenario['limits']): Promise<ServiceHarness>;
}

const unknown = {
  unknownSession: `br_${'0'.repeat(24)}`,
  unknownKey: `tp_live_${'0'.repeat(64)}`,
  unknownToken: `tpapi_${'0'.repeat(64)}`,
};

/** The whole service with real browsers, and a single seat for them. */
export async function startServiceHarness(): Promise<ScenarioHarness> {
  await using undo = new AsyncDisposableStack();
  const web = undo.use(await startWebServer());
  const service = undo.use(await startService({ env: { TURNPIKE_HOST_SEATS: '1' } }));
  const env = { TURNPIKE_DATA_DIR: service.dataDirectory };
  const db = await openDatabase(storeLocation(env), createLogger('warn'));
  undo.defer(() => db.destroy());
  const sealer = new Sealer(secretKey(env));
  let accounts = 0;
  const stranger = await service.account();
  const { json } = await stranger.create({ headless: true });
  await stranger.close(json.browserId);
  const closed = `http://127.0.0.1:${await freePort()}`;
  const known = {
    ...unknown,
    endpoint: service.gatewayUrl,
    strangersSession: json.browserId,
    nobody: closed,
    deadProxy: closed,
  };
  const owned = undo.move();
  return {
    async harness(limits) {
      const email = `c${++accounts}@example.com`;
      const { account, apiKey, ...secrets } = await createAccount(db, sealer, { email, name: 'Test' });
      if (limits) await setLimits(db, email, limitChange(limits));
      const login = `${secrets.proxyUser}:${secrets.proxyPassword}`;
      const proxy = service.proxyUrl.replace('://', `://${login}@`);
      const own = { accountId: account.id, apiKey, proxy, statsToken: secrets.statsToken };
      return { known: { ...known, ...own }, act: (step) => drive(step, `${web.origin}/`) };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function limitChange({ concurrent, browserHours, createsPerMinute }: NonNullable<Scenario['limits']>) {
  return {
    ...(concurrent === undefined ? {} : { concurrent_limit: concurrent }),
    ...(browserHours === undefined ? {} : { browser_seconds_cap: browserHours * 3600 }),
    ...(createsPerMinute === undefined ? {} : { creates_per_minute: createsPerMinute }),
  };
}

async function drive(step: ServiceStep, page: string): Promise<void> {
  if (step.harness !== 'drive' && step.harness !== 'sameTab') throw new Error(`no ${step.harness} here`);
  const browser: Browser = await chromium.connectOverCDP(step.cdpUrl);
  try {
    const [context] = browser.contexts();
    if (step.harness === 'drive') await (await context?.newPage())?.goto(page);
    else expect(context?.pages().map((tab) => tab.url())).toContain(page);
  } finally {
    await browser.close();
  }
}

const carried: TrafficReport = {
  ...{ bytesUp: 100, bytesDown: 2000, bytesFromCache: 77, maxBytesReached: false },
  destinations: [
    {
      ...{ host: 'a.test', port: 443, requests: 0, tunnels: 1, bytesUp: 90, bytesDown: 1500 },
      ...{ refused: { block_hosts: 3 }, firstAgoMs: 2000, lastAgoMs: 1000 },
    },
  ],
  other: { requests: 2, tunnels: 0, bytesUp: 10, bytesDown: 500, refused: {} },
};

/** A gateway whose host does as it is told. */
export async function startGatewayHarness(): Promise<ScenarioHarness> {
  await using undo = new AsyncDisposableStack();
  const store = undo.use(await testStore('sqlite'));
  const gateway = undo.use(await startTestGateway(store.location));
  const { host } = gateway;
  host.onSave = async () => ({
    archive: Buffer.from('left').toString('base64'),
    cache: { archive: Buffer.from('cache').toString('base64') },
  });
  host.onSnapshot = async () => ({ archive: Buffer.from('left').toString('base64'), tabs: 1, lost: [] });
  const { db } = gateway.running.gateway;
  const refuse = async () => {
    throw new Error('told to');
  };
  let storeLost = false;
  const renameAccounts = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db);
  const act = async (step: ServiceStep): Promise<void> => {
    if (step.harness === 'failOpens') host.onOpen = refuse;
    else if (step.harness === 'refuseCloses') host.onClose = refuse;
    else if (step.harness === 'loseBrowser') host.end(step.sessionId, 'gone');
    else if (step.harness === 'carry') host.carry(step.sessionId, carried);
    else if (step.harness === 'loseStore') {
      storeLost = true;
      await renameAccounts('accounts', 'accounts_lost');
    } else if (step.harness === 'mend') {
      host.onOpen = async () => {};
      host.onClose = async () => {};
      if (storeLost) await renameAccounts('accounts_lost', 'accounts');
      storeLost = false;
    } else throw new Error(`no ${step.harness} here`);
  };
  const owned = undo.move();
  return {
    async harness() {
      const { id: accountId, key: apiKey, proxy, statsToken } = await gateway.account();
      return { known: { ...unknown, endpoint: gateway.url, accountId, apiKey, proxy, statsToken }, act };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
