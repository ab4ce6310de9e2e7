import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { accountCalls, call } from '../fixtures/gateway/gateway.ts';
import { beforeSlow } from '../fixtures/suite/matrix.ts';
import { type BrowserHarness, confirm, goTo, secret, soon, words } from './browser-harness.ts';

const newEmail = 'ann@example.com';

/** What the person who runs the service does. */
export function operatorFlows(harnessOf: () => BrowserHarness): void {
  let harness: BrowserHarness;
  let page: Page;
  let account: ReturnType<typeof accountCalls>;
  beforeAll(async () => {
    harness = harnessOf();
    page = await harness.visitor();
  });

  test('the link of the first start makes the operator', beforeSlow, async () => {
    await harness.welcome(page, harness.link('operator'));
    await page.getByText('All accounts and hosts together').waitFor();
  });

  test('an account is made, and its invitation lets its person in', beforeSlow, async () => {
    await goTo(page, 'Accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('demo@example.com');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await dialog.getByText('An account with the e-mail address demo@example.com already exists.').waitFor();
    await dialog.getByLabel('E-mail address').fill(newEmail);
    await dialog.getByLabel('Name', { exact: true }).fill('Ann <script>alert(1)</script>');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await dialog.getByText('Copy it now. It is shown only once.').waitFor();
    const login = await secret(page, 'Proxy login');
    account = accountCalls(
      harness.service.gatewayUrl,
      await secret(page, 'API key'),
      harness.service.proxyUrl.replace('://', `://${login}@`),
    );
    const person = await harness.visitor();
    await harness.welcome(person, await secret(page, 'Invitation link'));
    await person.getByText('Ann <script>').waitFor();
    await person.context().close();
    await dialog.getByRole('button', { name: 'Done' }).click();
  });

  test('accounts are found, and limits hold from the next request on', beforeSlow, async () => {
    await page.getByLabel('Search').fill('ann@');
    const rows = page.getByRole('table', { name: 'Accounts' }).getByRole('row');
    await soon(() => rows.count()).toBe(2);
    await page.getByRole('link', { name: newEmail }).click();
    await page.getByRole('heading', { level: 1, name: newEmail }).waitFor();
    await page.getByLabel('Concurrent browsers').fill('0');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await soon(async () => (await account.get('/user/api/limits')).json.limit).toBe(0);
    expect((await account.create()).json.code).toBe('CONCURRENCY_LIMIT');
    await page.getByLabel('Concurrent browsers').fill('');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await soon(async () => (await account.get('/user/api/limits')).json.unlimited).toBe(true);
  });

  test('an account whose browser hours are used up is marked', { tags: 'slow' }, async () => {
    await page.getByLabel('Browser hours, in total').fill('0');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await page.getByText('Cap reached').waitFor();
    await goTo(page, 'Accounts');
    const table = page.getByRole('table', { name: 'Accounts' });
    const marked = table.getByRole('row').filter({ hasText: 'Cap reached' });
    await marked.getByRole('link', { name: newEmail }).click();
    await page.getByLabel('Browser hours, in total').fill('48');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await page.getByText('Cap reached').waitFor({ state: 'detached' });
  });

  test('an account is suspended and reinstated', { tags: 'slow' }, async () => {
    await confirm(page, 'Suspend');
    await page.getByText('Suspended', { exact: true }).waitFor();
    expect((await account.get('/user/api/me')).status).toBe(401);
    await confirm(page, 'Reinstate');
    await page.getByText('Active', { exact: true }).first().waitFor();
    expect((await account.get('/user/api/me')).status).toBe(200);
    await confirm(page, 'Reset password');
    expect(await secret(page, 'Link')).toContain('/welcome#token=');
  });

  test('a session of anyone is found by its owner, and ended', { tags: 'slow' }, async () => {
    const { browserId } = (await account.create({ headless: true })).json;
    await goTo(page, 'Sessions');
    await page.getByLabel('Text').fill(newEmail);
    const table = page.getByRole('table', { name: 'Sessions' });
    await table.getByRole('row').filter({ hasText: browserId }).getByText('Active').waitFor();
    // The link is followed at the moment when the search for what was typed would begin.
    await page.evaluate(`{
      const input = document.querySelector('input[type=search]');
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
      set.call(input, ${JSON.stringify(newEmail)} + ' ');
      input.dispatchEvent(new Event('input', { bubbles: true }));
      const until = performance.now() + 400;
      setTimeout(() => {
        document.querySelector('a[href$="/sessions/${browserId}"]').click();
        while (performance.now() < until);
      }, 250);
    }`);
    await page.getByRole('heading', { level: 1, name: 'Session', exact: true }).waitFor();
    await page.getByRole('region', { name: 'State' }).getByRole('link', { name: newEmail }).waitFor();
    await page.getByRole('region', { name: 'Device' }).getByText('User agent').waitFor();
    await page.goBack();
    await confirm(page, `Close session ${browserId}`);
    await table.getByRole('row').filter({ hasText: browserId }).getByText('closed by the operator').waitFor();
    expect((await account.get(`/api/browser/${browserId}/status`)).json.status).toBe('CLOSED');
  });

  test('the overview draws sessions over time, and says why creates failed', { tags: 'slow' }, async () => {
    await goTo(page, 'Overview');
    const chart = page.getByRole('img', { name: 'Sessions started by day' });
    await chart.locator('svg path').first().waitFor();
    const card = page.getByRole('region', { name: 'Sessions started' });
    expect(await words(card)).toMatch(/[1-9]\d* in this period/);
    const reasons = page.getByRole('region', { name: 'Why creates failed' });
    // Counts reach the store every few seconds.
    await soon(async () => {
      await page.reload();
      await reasons.waitFor();
      return words(reasons);
    }, 1000).toContain('Too many concurrent browsers');
  });

  test('a host is drained, takes nothing new, and is used again', { tags: 'slow' }, async () => {
    /** The host hears of it with its next heartbeat. */
    const codeOfCreate = async () => {
      const { json } = await account.create({ headless: true });
      if (json.browserId) await account.close(json.browserId);
      return json.code;
    };
    await goTo(page, 'Hosts');
    await page.getByText('Live', { exact: true }).waitFor();
    await confirm(page, /^Drain /);
    await page.getByText('Draining', { exact: true }).waitFor();
    await soon(codeOfCreate, 1000).toBe('CAPACITY');
    await confirm(page, /^Undrain /);
    await page.getByText('Live', { exact: true }).waitFor();
    await soon(codeOfCreate, 1000).toBe(undefined);
  });

  test('a token lets a fleet send usage; what came in and what was refused is shown; revoked, it is refused', {
    tags: 'slow',
  }, async () => {
    await goTo(page, 'Operator tokens');
    await page.getByLabel('Name').fill('fleet-eu');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await secret(page, 'Operator token');
    const send = (records: unknown[]) =>
      call(`${harness.service.gatewayUrl}/operator/api/usage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(records),
      });
    const record = {
      id: 'r-1',
      account: newEmail,
      product: 'web-unblocker',
      bytes: 5_000_000,
      at: new Date(),
    };
    expect((await send([record, { ...record, id: 'r-2', product: 'none such' }])).status).toBe(200);

    await goTo(page, 'Products');
    const batch = page
      .getByRole('table', { name: 'Ingested batches' })
      .getByRole('row')
      .filter({ hasText: 'fleet-eu' });
    await batch.getByText('5 MB').waitFor();
    await batch.getByText('1 line').click();
    await batch.getByText('r-2').waitFor();
    await page.getByRole('table', { name: 'Metered proxies' }).waitFor();

    await goTo(page, 'Operator tokens');
    await confirm(page, 'Revoke fleet-eu');
    await page.getByText('No tokens yet').waitFor();
    expect((await send([record])).status).toBe(401);
  });

  test('another operator is invited and removed', { tags: 'slow' }, async () => {
    await goTo(page, 'Operators');
    await page.getByLabel('E-mail address').fill('second@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    const second = await harness.visitor();
    await harness.welcome(second, await secret(page, 'Invitation link'));
    await confirm(page, 'Remove second@example.com');
    await second.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await second.context().close();
  });

  test('the audit log tells all of it', { tags: 'slow' }, async () => {
    await goTo(page, 'Audit log');
    const log = page.getByRole('table', { name: 'Audit log' });
    for (const words of [
      'Account created',
      'Limits changed',
      'Account suspended',
      'Account reinstated',
      'Session closed',
      'Host drained',
      'Host undrained',
      'Operator token created',
      'Operator token revoked',
      'Operator invited',
      'Operator removed',
      'API key rotated',
      'Statistics token rotated',
    ]) {
      await log.getByText(words).first().waitFor();
    }
    await page.getByLabel('Action').selectOption('account.limits');
    await soon(() => log.getByRole('row').count()).toBe(1 + 4);
    expect(await words(log)).toContain('operator@example.com');
    await log.getByText('Concurrent browsers: no limit').first().waitFor();
    await log.getByText('Browser hours: 48 h').first().waitFor();
    await log.getByRole('link', { name: newEmail }).first().click();
    await page.getByRole('table', { name: 'Accounts' }).getByRole('link', { name: newEmail }).waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    expect(await (await page.request.get((await downloading).url())).text()).toContain(newEmail);
  });
}
