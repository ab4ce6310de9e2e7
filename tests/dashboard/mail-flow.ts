import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type BrowserHarness, goTo, password, soon } from './browser-harness.ts';

const email = 'demo@example.com';

/** What a user does by e-mail. */
export function mailFlow(harnessOf: () => BrowserHarness): void {
  let harness: BrowserHarness;
  let page: Page;
  beforeAll(async () => {
    harness = harnessOf();
    page = await harness.visitor();
  });

  test('a forgotten password is replaced with a link that comes by e-mail', { tags: 'slow' }, async () => {
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Forgot password' }).waitFor();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('status').getByText('an e-mail with a link is on its way').waitFor();
    await soon(() => harness.mails.to(email)).toHaveLength(1);
    const [mail] = harness.mails.to(email);
    await page.goto(/http\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    await page.getByRole('heading', { level: 1, name: 'Set a new password' }).waitFor();
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  test('alerts are chosen on the usage page, and stay chosen', { tags: 'slow' }, async () => {
    await goTo(page, 'Usage');
    const card = page.getByRole('region', { name: 'E-mail alerts' });
    await card.getByText(`E-mails go to ${email}.`).waitFor();
    await card.getByLabel('80%').check();
    await card.getByLabel('Bandwidth in a month, in GB').fill('500');
    await card.getByRole('button', { name: 'Save alerts' }).click();
    await card.getByText('Saved').waitFor();
    await page.reload();
    await card.getByLabel('80%').waitFor();
    expect(await card.getByLabel('80%').isChecked()).toBe(true);
    expect(await card.getByLabel('100%').isChecked()).toBe(false);
    expect(await card.getByLabel('Bandwidth in a month, in GB').inputValue()).toBe('500');
    await page.context().close();
  });
}
