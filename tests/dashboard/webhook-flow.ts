import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { WebhookReceiver } from '../fixtures/receivers/webhook-receiver.ts';
import { type BrowserHarness, confirm, goTo, secret, soon } from './browser-harness.ts';

/** After an account's own flows: the person is known, and the webhook stays for the pages' tests. */
export function webhookFlow(harnessOf: () => BrowserHarness): void {
  test('a webhook is made, sent events, made to send them again, and deleted', { tags: 'slow' }, async () => {
    const harness = harnessOf();
    await using receiver = await WebhookReceiver.start();
    const page = await harness.visitor();
    await harness.signIn(page, 'demo@example.com');
    await goTo(page, 'Webhooks');
    await page.getByText('No webhooks yet').waitFor();
    const url = page.getByRole('textbox', { name: 'URL' });
    const make = page.getByRole('button', { name: 'Create webhook' });
    await make.click();
    await page.getByText('url is required').waitFor();
    await url.fill('http://10.0.0.1/');
    await page.getByText('url is required').waitFor({ state: 'detached' });
    await make.click();
    await page.getByText('url must name a public address').waitFor();

    const table = page.getByRole('table', { name: 'Webhooks' });
    await url.fill(`${receiver.url}/unwanted`);
    await make.click();
    await table.getByText(`${receiver.url}/unwanted`).waitFor();
    await url.fill(receiver.url);
    await page.getByLabel('session.started').check();
    await make.click();
    const link = table.getByRole('link', { name: receiver.url, exact: true });
    await link.waitFor();
    receiver.secret = await secret(page, 'Webhook secret');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy Webhook secret' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(receiver.secret);
    await confirm(page, `Delete the webhook to ${receiver.url}/unwanted`);
    await table.getByText(`${receiver.url}/unwanted`).waitFor({ state: 'detached' });

    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Webhook', exact: true }).waitFor();
    expect(await page.getByText('whsec_').count()).toBe(0);
    await page.getByText('No deliveries yet').waitFor();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('The receiver accepted it with status 200.').waitFor();
    expect(receiver.received.splice(0)).toMatchObject([{ type: 'webhook.test', signed: true }]);
    let answer = 500;
    receiver.decide = () => answer;
    const { browserId } = await post(page, '/api/browser/create', {
      proxy: harness.service.demoProxyUrl,
      headless: true,
    });
    const row = page
      .getByRole('table', { name: 'Deliveries' })
      .getByRole('row')
      .filter({ hasText: browserId });
    await row.getByText('it answered 500').waitFor();
    await row.getByText('Pending').waitFor();
    answer = 200;
    await row.getByText('Delivered').waitFor();
    await row.getByRole('button', { name: /^Replay evt_/ }).click();
    await soon(() => receiver.received.length).toBe(2);
    // What is still being sent is not sent again, so this asks until it is.
    await soon(async () => {
      await page.getByRole('button', { name: 'Replay events' }).click();
      return receiver.received.filter(({ data }) => data.browserId === browserId).length;
    }, 1000).toBeGreaterThanOrEqual(3);
    await page.getByText(/will be sent again|No events to replay/).waitFor();
    expect(receiver.received.every(({ signed }) => signed)).toBe(true);
    await soon(() => page.getByText('Pending').count()).toBe(0);
    await post(page, '/api/browser/close', { browserId });
    await page.context().close();
  });
}

/** As the page itself would. */
function post(page: Page, path: string, body: object): Promise<any> {
  return page.evaluate(
    async ([address, text]) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(address, { method: 'POST', headers, body: text })).json();
    },
    [path, JSON.stringify(body)] as const,
  );
}
