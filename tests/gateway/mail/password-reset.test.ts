import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { maxPendingMails } from '../../../apps/gateway/src/mail/mail-store.ts';
import { jsonRows } from '../../../apps/gateway/src/store/json-rows.ts';
import { inviteAccount } from '../../../apps/gateway/src/users/links.ts';
import { type DashboardHarness, password, startDashboardHarness } from '../../dashboard/harness.ts';
import { MailServer, smtpPassword } from '../../fixtures/receivers/mail-server.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const ask = '/dashboard/api/password-reset';
const linkIn = (text: string): string => /https:\S+/.exec(text)?.[0] ?? '';

describeEach(quickOn('sqlite'))('a password reset on %s', (engine) => {
  let mails: MailServer;
  let harness: DashboardHarness;
  beforeEach(async () => {
    mails = await MailServer.start();
    harness = await startDashboardHarness(engine, { mail: mails.config });
  });
  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
    await mails[Symbol.asyncDispose]();
  });

  test('a link comes by e-mail, works once, and signs out all browsers', async () => {
    const { account, visitor } = await harness.accountPerson();
    const { visitor: operator } = await harness.operatorPerson();
    const stranger = harness.visitor();
    expect((await stranger.get('/dashboard/api/sign-in/options')).json).toEqual({ passwordReset: true });
    expect(await stranger.post(ask, { email: ` ${account.email.toUpperCase()} ` })).toMatchObject({
      status: 200,
      json: { done: true },
    });
    await expect.poll(() => mails.received).toHaveLength(1);
    const [mail] = mails.received;
    expect(mail).toMatchObject({ to: [account.email], from: 'no-reply@turnpike.example' });
    const link = linkIn(mail?.text ?? '');
    expect(link).toMatch(/^https:\/\/turnpike\.example\/welcome#token=[0-9a-f]{64}$/);
    // The password is as before until the link is used.
    expect((await harness.visitor().signIn(account.email, password)).status).toBe(200);
    expect((await visitor.get('/dashboard/api/me')).status).toBe(200);

    expect((await stranger.useLink(link, 'another few words')).status).toBe(200);
    expect((await visitor.get('/dashboard/api/me')).status).toBe(401);
    expect((await harness.visitor().signIn(account.email, password)).status).toBe(401);
    expect((await harness.visitor().signIn(account.email, 'another few words')).status).toBe(200);
    expect((await harness.visitor().useLink(link, 'third time lucky')).status).toBe(410);

    const { entries } = (await operator.get(`/dashboard/api/operator/audit?text=${account.email}`)).json;
    const actions = entries.map(({ action, actor, address }: Record<string, string>) => [
      action,
      actor,
      address,
    ]);
    expect(actions.slice(0, 2)).toEqual([
      ['password.set', account.email, '127.0.0.1'],
      ['password.reset', account.email, '127.0.0.1'],
    ]);
    const { db } = harness.gateway.running.gateway;
    const token = link.split('=')[1] ?? '';
    const stored = JSON.stringify(await db.selectFrom('user_links').selectAll().execute());
    const logs = harness.gateway.logs.join('');
    expect(stored + logs).not.toContain(token);
    expect(logs).not.toContain(smtpPassword);
    expect(await db.selectFrom('mails').selectAll().execute()).toEqual([]);
  });

  test('an address that nobody has gets the same answer, and no e-mail', async () => {
    const { account } = await harness.accountPerson();
    const { db } = harness.gateway.running.gateway;
    const suspended = await harness.accountPerson();
    await db
      .updateTable('accounts')
      .set({ status: 'suspended' })
      .where('id', '=', suspended.account.id)
      .execute();
    const invited = await harness.gateway.account();
    const invitation = await inviteAccount(db, invited.email, { publicUrl: harness.gateway.url });
    const visitor = harness.visitor();
    const answers = [];
    for (const email of ['nobody@example.com', suspended.account.email, invited.email, account.email])
      answers.push(await visitor.post(ask, { email }));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"done":true}']),
    );
    await expect.poll(() => db.selectFrom('mails').selectAll().execute()).toEqual([]);
    expect(mails.received.map(({ to }) => to)).toEqual([[account.email]]);
    // Whoever knows an address cannot take its owner's invitation away.
    expect((await harness.visitor().useLink(invitation.url, password)).status).toBe(200);
  });

  test('requests are limited by address and by network, whether or not somebody has the address', async () => {
    const { account } = await harness.accountPerson();
    for (const email of [account.email, 'nobody@example.com']) {
      const visitor = harness.visitor();
      const statuses = [];
      for (let i = 0; i < 4; i++) statuses.push((await visitor.post(ask, { email })).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    }
    const statuses = [];
    for (let i = 0; i < 6; i++)
      statuses.push((await harness.visitor().post(ask, { email: `n${i}@example.com` })).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
    harness.gateway.clock.advance(20 * 60_000);
    expect((await harness.visitor().post(ask, { email: account.email })).status).toBe(200);
  });

  test('is refused while too many e-mails wait', async () => {
    const { db, now } = harness.gateway.running.gateway;
    const later = now() + 3_600_000;
    const rows = Array.from({ length: maxPendingMails }, (_, i) => [`mail_${i}`]);
    await sql`
      insert into mails (id, kind, recipient, data, next_at, give_up_at)
      select c0, 'usage-alert', 'ann@example.com', '{}', cast(${later} as bigint), cast(${later} as bigint)
      from ${jsonRows(db, rows, 1)}
    `.execute(db);
    const answer = await harness.visitor().post(ask, { email: 'nobody@example.com' });
    expect(answer).toMatchObject({ status: 503, json: { error: 'Busy; try again in a moment' } });
  });

  test('a server that refuses for now is asked again, and one that is away holds up nobody', async () => {
    const { account } = await harness.accountPerson();
    mails.refuse = () => ({ responseCode: 451, message: 'later' });
    expect((await harness.visitor().post(ask, { email: account.email })).status).toBe(200);
    await expect.poll(() => mails.refused).toBe(1);
    await expect.poll(() => harness.gateway.logs.join('')).toContain('e-mail not sent; will retry');
    mails.refuse = () => undefined;
    harness.gateway.clock.advance(6000);
    await expect.poll(() => mails.received).toHaveLength(1);
    expect((await harness.visitor().useLink(linkIn(mails.received[0]?.text ?? ''), password)).status).toBe(
      200,
    );
  });

  test('a server that refuses the recipient for good is not asked again', async () => {
    const { account } = await harness.accountPerson();
    mails.refuse = () => ({ responseCode: 550, message: 'no such user' });
    await harness.visitor().post(ask, { email: account.email });
    const { db } = harness.gateway.running.gateway;
    await expect.poll(() => harness.gateway.logs.join('')).toContain('e-mail not sent; gave up');
    await expect.poll(() => db.selectFrom('mails').selectAll().execute()).toEqual([]);
    expect(mails.refused).toBe(1);
  });
});

test('without an SMTP server there is no reset, and the page is told so', async () => {
  await using harness = await startDashboardHarness('sqlite');
  const visitor = harness.visitor();
  expect((await visitor.get('/dashboard/api/sign-in/options')).json).toEqual({ passwordReset: false });
  expect(await visitor.post(ask, { email: 'a@example.com' })).toMatchObject({
    status: 409,
    json: { error: 'This service does not send e-mail. Ask your operator for a link.' },
  });
});

test('what is no address is refused', async () => {
  await using mails = await MailServer.start();
  await using harness = await startDashboardHarness('sqlite', { mail: mails.config });
  for (const email of ['nobody', 'a b@example.com', 'a@b\r\n.com'])
    expect(await harness.visitor().post(ask, { email })).toMatchObject({
      status: 400,
      json: { field: 'email' },
    });
});
