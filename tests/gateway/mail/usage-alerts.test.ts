import { afterEach, beforeEach, expect, test } from 'vitest';
import { setLimits } from '../../../apps/gateway/src/accounts/manage-account.ts';
import { checkUsageAlerts } from '../../../apps/gateway/src/alerts/check-alerts.ts';
import { addBytes } from '../../../apps/gateway/src/bandwidth/bandwidth-store.ts';
import { type DashboardHarness, startDashboardHarness } from '../../dashboard/harness.ts';
import { startTestGateway, type TestAccount, type TestGateway } from '../../fixtures/gateway/gateway.ts';
import { MailServer } from '../../fixtures/receivers/mail-server.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

describeEach(quickOn('sqlite'))('usage alerts on %s', (engine) => {
  let mails: MailServer;
  let harness: DashboardHarness;
  let other: TestGateway;
  beforeEach(async () => {
    mails = await MailServer.start();
    harness = await startDashboardHarness(engine, { mail: mails.config });
    const { gateway } = harness;
    other = await startTestGateway(harness.location, {
      mail: mails.config,
      hostName: 'other',
      clock: gateway.clock,
    });
  });
  afterEach(async () => {
    await other[Symbol.asyncDispose]();
    await harness[Symbol.asyncDispose]();
    await mails[Symbol.asyncDispose]();
  });

  /** Every gateway, many times at once. */
  const checkEverywhere = () =>
    Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        checkUsageAlerts((i % 2 ? other : harness.gateway).running.gateway),
      ),
    );
  const use = async (account: TestAccount, sessions: number) => {
    for (let i = 0; i < sessions; i++) await account.close((await account.create()).json.browserId);
  };
  const subjects = (account: TestAccount) => mails.to(account.email).map(({ subject }) => subject);
  const queued = async () => harness.gateway.running.gateway.db.selectFrom('mails').selectAll().execute();
  const settled = () => expect.poll(queued).toEqual([]);

  test('each threshold is told once in a period, by any number of gateways', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { db } = harness.gateway.running.gateway;
    await setLimits(db, account.email, { browser_seconds_cap: 100 });
    const alerts = { hoursPercent: [50, 80, 100], bandwidthGigabytes: null };
    expect((await visitor.post('/dashboard/api/alerts', alerts)).json).toEqual({
      ...alerts,
      available: true,
      recipients: [account.email],
    });
    await use(account, 1); // 30 seconds
    await checkEverywhere();
    expect(await queued()).toEqual([]);
    // Two thresholds at once are one e-mail.
    await use(account, 2);
    await checkEverywhere();
    await expect.poll(() => subjects(account)).toEqual(['80% of your browser hours are used']);
    expect(mails.received[0]?.text).toContain('https://turnpike.example/usage');
    await checkEverywhere();
    await use(account, 1);
    await checkEverywhere();
    await expect.poll(() => subjects(account)).toHaveLength(2);
    // Off and on again sends nothing twice.
    await visitor.post('/dashboard/api/alerts', { hoursPercent: [], bandwidthGigabytes: null });
    await visitor.post('/dashboard/api/alerts', alerts);
    await checkEverywhere();
    await settled();
    expect(subjects(account)).toEqual(['80% of your browser hours are used', 'All browser hours are used']);

    // A higher cap is a new period.
    await setLimits(db, account.email, { browser_seconds_cap: 240 });
    await checkEverywhere();
    await expect.poll(() => subjects(account).at(-1)).toBe('50% of your browser hours are used');
    expect(new Set(mails.received.map(({ messageId }) => messageId)).size).toBe(3);
  });

  test('bandwidth is counted by month', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { clock } = harness.gateway;
    const { db } = harness.gateway.running.gateway;
    const alerts = { hoursPercent: [], bandwidthGigabytes: 5 };
    expect((await visitor.post('/dashboard/api/alerts', alerts)).status).toBe(200);
    clock.set(Date.UTC(2026, 10, 20));
    const add = (day: string, gigabytes: bigint) =>
      db.transaction().execute((trx) =>
        addBytes(trx, [
          {
            accountId: account.id,
            product: 'residential',
            country: 'DE',
            day,
            bytes: gigabytes * 10n ** 9n,
          },
        ]),
      );
    await add('2026-10-31', 50n);
    await add('2026-11-02', 3n);
    await checkEverywhere();
    expect(await queued()).toEqual([]);
    await add('2026-11-20', 2n);
    await checkEverywhere();
    await expect.poll(() => subjects(account)).toEqual(['Your bandwidth this month has passed 5 GB']);
    expect(mails.received[0]?.text).toContain('5.0 GB of bandwidth in 2026-11');
    await checkEverywhere();
    await settled();
    clock.set(Date.UTC(2026, 11, 1));
    await checkEverywhere();
    await add('2026-12-01', 6n);
    await checkEverywhere();
    await expect.poll(() => subjects(account)).toHaveLength(2);
  });

  test('the gateways check by themselves, one of them each minute', { tags: 'slow' }, async () => {
    const { account, visitor } = await harness.accountPerson();
    const { db } = harness.gateway.running.gateway;
    await setLimits(db, account.email, { browser_seconds_cap: 30 });
    await visitor.post('/dashboard/api/alerts', { hoursPercent: [100], bandwidthGigabytes: null });
    await use(account, 1);
    harness.gateway.clock.advance(61_000);
    await expect.poll(() => subjects(account), { timeout: 20_000 }).toEqual(['All browser hours are used']);
  });
});

test('thresholds that make no sense are refused, and without an SMTP server the page is told so', async () => {
  await using harness = await startDashboardHarness('sqlite');
  const { visitor } = await harness.accountPerson();
  for (const alerts of [
    { hoursPercent: [0], bandwidthGigabytes: null },
    { hoursPercent: [101], bandwidthGigabytes: null },
    { hoursPercent: [], bandwidthGigabytes: 0.5 },
    { hoursPercent: Array.from({ length: 11 }, (_, i) => i + 1), bandwidthGigabytes: null },
  ])
    expect((await visitor.post('/dashboard/api/alerts', alerts)).status).toBe(400);
  expect((await visitor.get('/dashboard/api/alerts')).json).toMatchObject({ available: false });
});
