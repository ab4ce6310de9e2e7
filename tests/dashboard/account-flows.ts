import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLogger } from '@turnpike/process/logger';
import { chromium, type Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { getAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import { storeLocation } from '../../apps/gateway/src/config.ts';
import { openDatabase } from '../../apps/gateway/src/store/database.ts';
import { Random } from '../../scripts/demo/random.ts';
import { demoSession } from '../../scripts/demo/sessions.ts';
import { accountCalls, call } from '../fixtures/gateway/gateway.ts';
import { beforeSlow } from '../fixtures/suite/matrix.ts';
import { type BrowserHarness, confirm, goTo, password, secret, soon, words } from './browser-harness.ts';

const today = () => new Date().toISOString().slice(0, 10);

/** What the person of an account does. */
export function accountFlows(harnessOf: () => BrowserHarness): void {
  let harness: BrowserHarness;
  let page: Page;
  let key: string;
  beforeAll(async () => {
    harness = harnessOf();
    key = harness.service.demoKey;
    page = await harness.visitor();
  });
  const api = () => accountCalls(harness.service.gatewayUrl, key, harness.service.demoProxyUrl);
  const row = (id: string, table = 'Running sessions') =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: id });

  test(
    'an invitation sets the password, and its token is gone from the address and the history',
    beforeSlow,
    async () => {
      const link = harness.link('demo account');
      const token = new URL(link).hash;
      await page.goto(link);
      await page.getByLabel('New password').waitFor();
      expect(page.url()).toBe(`${harness.service.gatewayUrl}/welcome`);
      await harness.welcome(page, link);
      await page.goBack().catch(() => undefined);
      expect(page.url()).not.toContain(token);
      await page.goto(link);
      await page
        .getByRole('alert')
        .getByText('This link has expired or was already used. Ask your operator for a new one.')
        .waitFor();
      await page.goto('/');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.getByText('No session is running').waitFor();
      await page.getByRole('heading', { name: 'First steps' }).waitFor();
    },
  );

  test('an extension is uploaded and deleted on its page', { tags: 'slow' }, async () => {
    await goTo(page, 'Extensions');
    await page.getByText('No extensions yet').waitFor();
    const choose = async (name: string) =>
      page
        .locator('input[type=file]')
        .setInputFiles(join(import.meta.dirname, '../fixtures/extensions', name));
    await choose('packed-extension.ts');
    await page.getByText('It must be a zip or crx file.').waitFor();
    await choose('example.zip');
    const uploaded = row('Example', 'Extensions');
    await uploaded.waitFor();
    await confirm(page, 'Delete the extension Example');
    await page.getByText('No extensions yet').waitFor();
  });

  test('the code beside the form follows what one types, and refusals stand beside their field as the API words them', {
    tags: 'slow',
  }, async () => {
    await goTo(page, 'New session');
    const open = page.getByRole('button', { name: 'Open session' });
    await open.click();
    const proxy = page.getByRole('textbox', { name: 'Proxy', exact: true });
    const refusal = async (field: string) => {
      const input = page.getByRole('textbox', { name: field, exact: true });
      await soon(() => input.getAttribute('aria-invalid')).toBe('true');
      const ids = (await input.getAttribute('aria-describedby')) ?? '';
      return page
        .locator(
          ids
            .split(' ')
            .map((id) => `[id="${id}"]`)
            .join(', '),
        )
        .filter({ hasNotText: /^$/ })
        .allInnerTexts();
    };
    expect((await refusal('Proxy')).join()).toContain(
      'A proxy is required for this account. (no proxy supplied)',
    );
    expect(await page.evaluate('document.activeElement?.name')).toBe('proxy');
    await proxy.fill('http://proxy.example');
    await open.click();
    await page.getByText('That proxy is not valid. (').waitFor();
    await proxy.fill('http://u:p@127.0.0.1:9');
    await soon(() => proxy.getAttribute('aria-invalid')).not.toBe('true');
    await page.getByLabel('Lifetime', { exact: true }).fill('an hour');
    await open.click();
    expect((await refusal('Lifetime')).join()).toContain(
      'Malformed browser params: maxLifetime must be an integer',
    );
    await page.getByLabel('Lifetime', { exact: true }).fill('600');
    await open.click();
    await page.getByText('The browser could not connect through that proxy.').waitFor();

    await page.getByLabel('System', { exact: true }).selectOption('linux');
    await page.getByLabel('Metadata', { exact: true }).fill(`{"note": "it's mine"}`);
    const code = page.getByRole('region', { name: 'curl' }).locator('pre');
    expect(await words(code)).toContain('"maxLifetime": 600');
    expect(await words(code)).toContain('"os": "linux"');
    for (const [name, line] of [
      ['Node', 'maxLifetime: 600,'],
      ['Python', 'max_lifetime=600,'],
    ] as const) {
      await page.getByRole('tab', { name }).click();
      expect(await words(page.getByRole('region', { name }).locator('pre'))).toContain(line);
    }
  });

  test('the curl beside the form does what the form does', { tags: 'slow' }, async () => {
    await page.getByLabel('Headless', { exact: true }).check();
    await page.getByLabel('Product', { exact: true }).selectOption('rotating-isp');
    await page.getByRole('button', { name: 'Fill in' }).click();
    await soon(() => page.getByRole('textbox', { name: 'Proxy', exact: true }).inputValue()).toContain(
      '-product-rotating-isp:••••••@',
    );
    await page.getByRole('tab', { name: 'curl' }).click();
    const code = await words(page.getByRole('region', { name: 'curl' }).locator('pre'));
    const env = { ...process.env, TURNPIKE_API_KEY: key };
    const { stdout } = await promisify(execFile)('bash', ['-c', code], { env });
    const session = JSON.parse(stdout);
    expect(session).toMatchObject({
      status: 'ACTIVE',
      metadata: { note: "it's mine" },
      browserParams: { os: 'linux', headless: true },
    });

    await goTo(page, 'Sessions');
    await row(session.browserId).waitFor();
    await confirm(page, `Close session ${session.browserId}`);
    await page.getByText('No session is running').waitFor();
    await row(session.browserId, 'History of sessions').getByText('Closed').waitFor();
    expect((await api().get(`/api/browser/${session.browserId}/status`)).json.status).toBe('CLOSED');
  });

  test(
    'a session opens from the form into its live view, and its code connects to it',
    beforeSlow,
    async () => {
      await goTo(page, 'New session');
      await page.getByLabel('System', { exact: true }).selectOption('macos');
      await page.getByLabel('Country', { exact: true }).fill('us');
      await page.getByRole('button', { name: 'Fill in' }).click();
      await soon(() => page.getByRole('textbox', { name: 'Proxy', exact: true }).inputValue()).toContain(
        '-country-us:',
      );
      await page.getByRole('button', { name: 'Open session' }).click();
      await page.getByRole('heading', { level: 1, name: 'Session', exact: true }).waitFor();
      await page.frameLocator('iframe').locator('body[data-state="connected"] #screen canvas').waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      const frame = await page.locator('iframe').boundingBox();
      expect(frame?.width).toBeGreaterThan(330);
      expect(frame?.height).toBeGreaterThan(400);
      await page.setViewportSize({ width: 1280, height: 900 });
      const session = page.getByRole('region', { name: 'State' });
      await session.getByText('Active').waitFor();
      expect(await words(session)).toContain(':***@');
      expect(await words(page.getByRole('region', { name: 'Device' }))).toContain('macOS');

      const code = await words(page.getByRole('region', { name: 'Playwright' }).locator('pre'));
      const cdpUrl = /connectOverCDP\('(.*)'\)/.exec(code)?.[1] ?? '';
      const browser = await chromium.connectOverCDP(cdpUrl);
      const visited = await browser.contexts()[0]?.newPage();
      await visited?.goto(`${harness.web.origin}/`);
      await visited?.evaluate(async () => (await fetch('/bytes/3000000')).arrayBuffer());
      await browser.close();
      const timeline = page.getByRole('region', { name: 'Timeline' });
      await timeline.getByText('Connected', { exact: true }).waitFor();
      await timeline.getByText('Disconnected', { exact: true }).waitFor();
      for (const name of ['Puppeteer', 'Python', 'curl']) {
        await page.getByRole('tab', { name }).click();
        expect(await words(page.getByRole('region', { name }).locator('pre'))).toContain(
          name === 'curl' ? page.url().split('/').at(-1) : cdpUrl,
        );
      }
    },
  );

  test('files go up to a running session, are listed, come down and are removed', {
    tags: 'slow',
  }, async () => {
    const card = page.getByRole('region', { name: 'Files' });
    await card.getByText('No files').waitFor();
    await card
      .locator('input[type=file]')
      .setInputFiles({ name: 'figures 1.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') });
    await card.getByRole('row').filter({ hasText: '8 B' }).waitFor();
    const downloading = page.waitForEvent('download');
    await card.getByRole('link', { name: 'figures 1.csv' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('figures 1.csv');
    expect(await (await page.request.get(download.url())).text()).toBe('a,b\n1,2\n');
    await confirm(page, 'Delete figures 1.csv');
    await card.getByText('No files').waitFor();
  });

  test('its traffic is shown by destination while it runs, and the CSV has the same destinations', {
    tags: 'slow',
  }, async () => {
    const card = page.getByRole('region', { name: 'Traffic' });
    const { host } = new URL(harness.web.origin);
    const bar = card.getByRole('listitem').filter({ hasText: host });
    await soon(() => words(bar)).toMatch(/3(\.\d+)? MB/);
    const downloading = page.waitForEvent('download');
    await card.getByRole('link', { name: 'Export CSV' }).click();
    const file = await (await page.request.get((await downloading).url())).text();
    expect(file).toContain(host.replace(':', ','));
    expect(await card.getByRole('link', { name: 'Download receipt' }).count()).toBe(0);
  });

  test('running sessions come and go without a reload', { tags: 'slow' }, async () => {
    await goTo(page, 'Sessions');
    const first = row('macOS');
    await first.waitFor();
    await soon(() => words(first)).toMatch(/3(\.\d+)? MB/);
    const opened = await api().create({ headless: true, metadata: { job: 'from a program' } });
    const id = opened.json.browserId;
    await row(id).waitFor();
    await page.getByText('2 of 5 slots in use').waitFor();
    await api().close(id);
    await row(id).waitFor({ state: 'detached' });
    await row(id, 'History of sessions').getByText('Closed').waitFor();
  });

  test('the history is filtered by state, text and day, and the address keeps the filter', {
    tags: 'slow',
  }, async () => {
    const history = page.getByRole('table', { name: 'History of sessions' });
    const rows = () => history.getByRole('row').count();
    await page.getByLabel('Text', { exact: true }).fill('from a program');
    await soon(rows).toBe(2);
    await page.reload();
    await soon(rows).toBe(2);
    await page.getByLabel('State', { exact: true }).selectOption('EXPIRED');
    await page.getByText('No session matches').waitFor();
    await page.getByLabel('Text', { exact: true }).fill('');
    await page.getByLabel('State', { exact: true }).selectOption('ACTIVE');
    await soon(rows).toBe(2);
    await page.getByLabel('State', { exact: true }).selectOption('');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No session matches').waitFor();
  });

  test('a session is closed from its page, which says what became of it', beforeSlow, async () => {
    await goTo(page, 'Sessions');
    await row('macOS').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Session', exact: true }).waitFor();
    await confirm(page, /^Close session/);
    const state = page.getByRole('region', { name: 'State' });
    await state.getByText('Closed', { exact: true }).waitFor();
    await state.getByText('closed by the account').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await words(state)).toMatch(/Billed\d+ (s|min)/);
    const id = page.url().split('/').at(-1) ?? '';
    const traffic = page.getByRole('region', { name: 'Traffic' });
    const receipt = await traffic.getByRole('link', { name: 'Download receipt' }).getAttribute('href');
    const { statement } = await (await page.request.get(receipt ?? '')).json();
    expect(statement.session).toMatchObject({ browserId: id, status: 'CLOSED' });
    await page.goto('/sessions/br_000000000000000000000000');
    await page.getByRole('alert').getByText('Session not found').waitFor();
  });

  test('usage and bandwidth show the numbers of the APIs, and the CSV is the same file', {
    tags: 'slow',
  }, async () => {
    const statsToken = /(tpapi_[0-9a-f]{64})/.exec(harness.service.output())?.[1];
    const stats = (path: string) =>
      call(`${harness.service.gatewayUrl}/api/users/stats/residential/${path}`, {
        headers: { authorization: `Bearer ${statsToken}` },
      });
    await soon(async () => (await stats('summary')).json.data.total_value, 1000).toBeGreaterThan(0.003);
    await goTo(page, 'Bandwidth');
    await page.getByLabel('Unit', { exact: true }).selectOption('kB');
    const { data } = (await stats(`bandwidth?from=${today()}&unit=Kb`)).json;
    const kilobytes = Math.round(data.series[0].total_value).toLocaleString('en');
    await page.getByText(new RegExp(`^${kilobytes} kB from `)).waitFor();
    await page
      .getByRole('img', { name: /bandwidth by day/ })
      .locator('svg path')
      .first()
      .waitFor();
    await page.getByText('Show as table').click();
    await page.getByRole('table', { name: 'Residential by day' }).getByText(`${kilobytes} kB`).waitFor();
    await page
      .getByRole('list', { name: /by country/ })
      .getByText('United States')
      .waitFor();

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    // The browser runs as a user of its own, whose files are not ours: what it was sent is asked for again.
    const file = await (await page.request.get((await downloading).url())).text();
    const from = file.split('\n')[1]?.split(',')[0] ?? '';
    expect(file).toBe((await stats(`bandwidth.csv?from=${from}&unit=Kb`)).text);
    await page.getByLabel('From', { exact: true }).fill('2019-01-01');
    await page.getByText('Range too large: max 366 days').waitFor();

    await goTo(page, 'Usage');
    const { totals } = (await api().get('/user/api/usage')).json;
    expect(totals.sessions).toBe(3);
    const figure = page.locator('.figure').filter({ hasText: 'Sessions' }).first();
    await soon(() => words(figure)).toMatch(/^Sessions3ended/);
    await page
      .getByRole('img', { name: /Browser hours by day/ })
      .locator('svg path')
      .first()
      .waitFor();
  });

  test('traffic shows where the bytes of ended sessions went', { tags: 'slow' }, async () => {
    await goTo(page, 'Traffic');
    const { host } = new URL(harness.web.origin);
    const table = page.getByRole('table', { name: 'Largest destinations' });
    await soon(() => words(table.getByRole('row').filter({ hasText: host }))).toMatch(/3(\.\d+)? MB/);
    await page
      .getByRole('img', { name: /Traffic by day/ })
      .locator('svg path')
      .first()
      .waitFor();
    await page.getByLabel('From', { exact: true }).fill('2019-01-01');
    await page.getByText('Range too large: max 366 days').waitFor();
  });

  test('a long history comes page by page', { tags: 'slow' }, async () => {
    const env = { TURNPIKE_DATA_DIR: harness.service.dataDirectory };
    const db = await openDatabase(storeLocation(env), createLogger('silent'));
    const account = await getAccount(db, 'demo@example.com');
    const host = { name: 'elsewhere', region: 'eu', seats: 1, publicUrl: 'wss://elsewhere.example' };
    const random = new Random(7);
    const yesterday = Date.now() - 86_400_000;
    const past = Array.from({ length: 30 }, () =>
      demoSession(random, account, [host], yesterday, Date.now()),
    );
    await db.insertInto('sessions').values(past).execute();
    await db.destroy();
    await goTo(page, 'Sessions');
    const rows = page.getByRole('table', { name: 'History of sessions' }).getByRole('row');
    await soon(() => rows.count()).toBe(1 + 25);
    const history = page.getByRole('table', { name: 'History of sessions' });
    await history.getByRole('button', { name: 'Billed' }).click();
    await page.getByText('Sorted among the 25 rows shown.').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await soon(() => rows.count()).toBe(1 + 3 + 30);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    expect(await history.getByRole('columnheader', { name: 'Billed' }).getAttribute('aria-sort')).toBe(
      'descending',
    );
    const order = async () => (await history.locator('tbody .mono').allTextContents()).join();
    const descending = await order();
    await history.getByRole('button', { name: 'Billed' }).click();
    await soon(order).not.toBe(descending);
  });

  test('the export has all sessions that match, not only those shown', { tags: 'slow' }, async () => {
    const exported = async () => {
      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Export CSV' }).click();
      const text = await (await page.request.get((await downloading).url())).text();
      return text.trim().split('\r\n').slice(1);
    };
    expect(await exported()).toHaveLength(3 + 30);
    await page.getByLabel('Text', { exact: true }).fill('from a program');
    await soon(() => page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toContain(
      'text=from',
    );
    expect(await exported()).toHaveLength(1);
  });

  test('events are listed, filtered, and lead to their session', { tags: 'slow' }, async () => {
    await goTo(page, 'Events');
    const table = page.getByRole('table', { name: 'Events' });
    await table.getByText('Session started').first().waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption('session.closed');
    await soon(() => table.getByRole('row').count()).toBe(1 + 3);
    await table
      .getByText(/closed by the account, .* billed/)
      .first()
      .waitFor();
    await table.getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Session', exact: true }).waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText('Created').waitFor();
    await timeline.getByText(/closed by the account/).waitFor();
    expect(await words(page.getByRole('region', { name: 'Parameters' }))).not.toContain('userAgent');
  });

  test('a crawl is started, followed to its end and listed on its pages', { tags: 'slow' }, async () => {
    await goTo(page, 'Crawls');
    await page.getByText('No crawls yet').waitFor();
    await page.getByRole('button', { name: 'Start crawl' }).click();
    await page.getByRole('alert').or(page.locator('.mantine-InputWrapper-error')).first().waitFor();
    await page.getByLabel('Address').fill(harness.web.origin);
    await page.getByRole('button', { name: 'Fill in' }).click();
    await page.locator('[name=proxy]:not([value=""])').waitFor();
    await page.getByRole('textbox', { name: 'Pages' }).fill('1');
    await page.getByRole('button', { name: 'Start crawl' }).click();
    await page.getByRole('heading', { level: 1, name: 'Crawl', exact: true }).waitFor();
    await page.getByText('Done', { exact: true }).first().waitFor();
    await row(harness.web.origin, 'Pages of the crawl').getByText('200').waitFor();
    await page.getByRole('link', { name: 'Crawls' }).last().click();
    await row(harness.web.origin, 'Crawls').getByText('1 of 1').waitFor();
  });

  test('a proxy is saved, put in a pool, offered in forms and made the default', {
    tags: 'slow',
  }, async () => {
    await goTo(page, 'Proxies');
    await page.getByText('No saved proxies yet').waitFor();
    await page.getByRole('button', { name: 'Add proxy' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('shop-de');
    await form.getByRole('textbox', { name: 'URL' }).fill('http://proxy.example');
    await form.getByRole('button', { name: 'Add proxy' }).click();
    await form.getByText('missing port').waitFor();
    await form.getByRole('textbox', { name: 'URL' }).fill('http://user:sesame@proxy.example:8000');
    await form.getByLabel('Country').fill('de');
    await form.getByLabel('Price per GB').fill('4.5');
    await form.getByRole('button', { name: 'Add proxy' }).click();
    await row('shop-de', 'Saved proxies').getByText('http://user:***@proxy.example:8000').waitFor();
    expect(await page.content()).not.toContain('sesame');

    await page.getByRole('button', { name: 'Add pool' }).click();
    await form.getByLabel('Name', { exact: true }).fill('de');
    await form.getByLabel('Add a member').selectOption('shop-de');
    await form.getByRole('button', { name: 'Add pool' }).click();
    await row('de', 'Pools').getByText('Round robin').waitFor();
    await page.getByLabel('Default', { exact: true }).selectOption('pool:de');
    await soon(async () => (await api().get('/user/api/default-proxy')).json).toEqual({ proxy: 'pool:de' });

    await goTo(page, 'New session');
    await page.getByLabel('Saved proxy').selectOption('name:shop-de');
    expect(await page.getByRole('textbox', { name: 'Proxy', exact: true }).inputValue()).toBe('name:shop-de');
    await goTo(page, 'Proxies');
    await page.getByLabel('Default', { exact: true }).selectOption('');
    await soon(async () => (await api().get('/user/api/default-proxy')).json).toEqual({ proxy: null });
    await page.getByRole('link', { name: 'shop-de' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    await form.getByLabel('Price per GB').fill('3');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('region', { name: 'Proxy', exact: true }).getByText('3', { exact: true }).waitFor();
  });

  test('page calls are turned off and on where pages are read', { tags: 'slow' }, async () => {
    await goTo(page, 'Read a page');
    const allowed = page.getByRole('switch', { name: 'Allow page calls and crawls' });
    await expectChecked(true);
    await allowed.click({ force: true });
    await expectChecked(false);
    expect((await api().get('/user/api/settings')).json).toEqual({ pageCalls: false });
    await allowed.click({ force: true });
    await expectChecked(true);

    async function expectChecked(isChecked: boolean): Promise<void> {
      await soon(() => allowed.isChecked()).toBe(isChecked);
      await soon(() => allowed.isEnabled()).toBe(true);
    }
  });

  test('keys are rotated, revealed and copied; the old ones are dead', { tags: 'slow' }, async () => {
    await goTo(page, 'Keys');
    await confirm(page, 'Rotate the API key');
    await page.getByText('The old key no longer works.').waitFor();
    const former = api();
    key = await secret(page, 'API key');
    expect((await former.get('/user/api/me')).status).toBe(401);
    expect((await api().get('/user/api/me')).status).toBe(200);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy API key' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);

    const summary = (token: string) =>
      call(`${harness.service.gatewayUrl}/api/users/stats/residential/summary`, {
        headers: { authorization: `Bearer ${token}` },
      });
    await page.getByRole('button', { name: 'Reveal the statistics token' }).click();
    const token = await secret(page, 'Statistics token');
    expect((await summary(token)).status).toBe(200);
    await confirm(page, 'Rotate the statistics token');
    await soon(() => secret(page, 'Statistics token')).not.toBe(token);
    expect((await summary(token)).status).toBe(401);
    expect((await summary(await secret(page, 'Statistics token'))).status).toBe(200);

    await page.getByRole('button', { name: 'Reveal the proxy password' }).click();
    expect(await secret(page, 'Proxy URL')).toBe(harness.service.demoProxyUrl);
    await goTo(page, 'Overview');
    await goTo(page, 'Keys');
    expect(await page.getByRole('group', { name: 'API key', exact: true }).count()).toBe(0);
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(
      /tp_live_|tpapi_/,
    );
  });

  test('the theme is chosen and stays; signing out everywhere signs the other browser out too', {
    tags: 'slow',
  }, async () => {
    const menu = () => page.getByRole('button', { name: /Demo/ });
    await menu().click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.reload();
    await menu().waitFor();
    const scheme = () => page.evaluate('document.documentElement.dataset.mantineColorScheme');
    expect(await scheme()).toBe('dark');
    await menu().click();
    await page.getByRole('menuitemradio', { name: 'System' }).click();
    expect(await scheme()).toBe('light');
    // The menu stays open, so that themes can be compared.

    const other = await harness.visitor();
    await harness.signIn(other, 'demo@example.com');
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await other.context().close();
  });

  test('with the keyboard alone: in, to a session, closed, out', beforeSlow, async () => {
    await page.context().clearCookies(); // Whoever was in before is out.
    const opened = await api().create({ headless: true });
    const press = async (...keys: string[]) => {
      for (const each of keys) await page.keyboard.press(each);
    };
    /** Tabs on until the focus is on what has this name. */
    const tabTo = async (name: RegExp) => {
      for (let steps = 0; steps < 100; steps += 1) {
        const words = await page.evaluate(
          '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "").trim()',
        );
        if (name.test(String(words))) return;
        await press('Tab');
      }
      throw new Error(`the keyboard does not reach ${name}`);
    };
    await page.goto('/sessions');
    await page.getByLabel('E-mail address').waitFor();
    await page.keyboard.type('demo@example.com');
    await press('Tab');
    await page.keyboard.type('not the password');
    await press('Enter');
    await page.getByRole('alert').getByText('E-mail address or password is wrong').waitFor();
    await page.locator('[type=password]').focus();
    await press('Control+a');
    await page.keyboard.type(password);
    await press('Enter');
    await row(opened.json.browserId).waitFor();
    await page.evaluate('document.activeElement?.blur()');
    await tabTo(/^Skip to content$/);
    await press('Enter');
    await tabTo(new RegExp(`^Close session ${opened.json.browserId}$`));
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(/^Close$/);
    await press('Enter');
    await row(opened.json.browserId).waitFor({ state: 'detached' });
    await tabTo(/^DDemo/);
    await press('Enter');
    await page.getByRole('menu').waitFor();
    await press('ArrowUp', 'ArrowUp');
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });
}
