import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@turnpike/process/logger';
import { chromium, type Page } from 'playwright-core';
import { secretKey, storeLocation } from '../../apps/gateway/src/config.ts';
import { Sealer } from '../../apps/gateway/src/secrets/sealer.ts';
import { openDatabase } from '../../apps/gateway/src/store/database.ts';
import { startDirectChromium } from '../../bench/direct-chromium.ts';
import { accountCalls } from '../../tests/fixtures/gateway/gateway.ts';
import { startWebServer } from '../../tests/fixtures/network/web-server.ts';
import { startService } from '../../tests/fixtures/service/service.ts';
import { fill } from '../demo/fill.ts';
import { webp } from './webp.ts';

/**
 * Every page of the dashboard, and some of the guides, on a desktop and on a phone, light and dark, with demo data and one real session,
 * into `screenshots/`; those that the documents show, into `docs/images/` as well.
 */

const root = join(import.meta.dirname, '../..');

/** `npm run screenshots -- overview`: only those. */
const only = process.argv[2] ?? '';

const sizes = {
  desktop: { viewport: { width: 1280, height: 860 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
} as const;

interface Shown {
  name: string;
  path: string;
  /** Who looks; nobody is signed in without. */
  who?: 'demo' | 'operator';
}

interface Pages {
  session: string;
  webhook: string;
  crawl: string;
  account: string;
}

const shown = ({ session, webhook, crawl, account }: Pages): Shown[] => [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'forgot-password', path: '/forgot-password' },
  { name: 'overview', path: '/', who: 'demo' },
  { name: 'sessions', path: '/sessions', who: 'demo' },
  { name: 'session', path: session, who: 'demo' },
  { name: 'new-session', path: '/new-session', who: 'demo' },
  { name: 'read-page', path: '/read-page', who: 'demo' },
  { name: 'crawls', path: '/crawls', who: 'demo' },
  { name: 'crawl', path: crawl, who: 'demo' },
  { name: 'usage', path: '/usage', who: 'demo' },
  { name: 'traffic', path: '/traffic', who: 'demo' },
  { name: 'bandwidth', path: '/bandwidth', who: 'demo' },
  { name: 'profiles', path: '/profiles', who: 'demo' },
  { name: 'proxies', path: '/proxies', who: 'demo' },
  { name: 'proxy', path: '/proxies/shop-de', who: 'demo' },
  { name: 'proxy-pool', path: '/proxies/pools/datacenter', who: 'demo' },
  { name: 'events', path: '/events', who: 'demo' },
  { name: 'webhooks', path: '/webhooks', who: 'demo' },
  { name: 'webhook', path: webhook, who: 'demo' },
  { name: 'keys', path: '/keys', who: 'demo' },
  { name: 'guides', path: '/docs' },
  { name: 'guides-quick-start', path: '/docs/quick-start', who: 'demo' },
  { name: 'guides-reference', path: '/docs/reference' },
  { name: 'guides-try', path: '/docs/try', who: 'demo' },
  { name: 'operator-overview', path: '/', who: 'operator' },
  { name: 'operator-accounts', path: '/accounts', who: 'operator' },
  { name: 'operator-account', path: account, who: 'operator' },
  { name: 'operator-sessions', path: '/sessions', who: 'operator' },
  { name: 'operator-session', path: session, who: 'operator' },
  { name: 'operator-hosts', path: '/hosts', who: 'operator' },
  { name: 'operator-products', path: '/products', who: 'operator' },
  { name: 'operator-audit', path: '/audit', who: 'operator' },
  { name: 'operator-tokens', path: '/tokens', who: 'operator' },
  { name: 'operator-operators', path: '/operators', who: 'operator' },
];

/** Shown in README.md and docs/dashboard.md. */
const kept = [
  'overview-desktop-light',
  'session-desktop-light',
  'bandwidth-desktop-dark',
  'new-session-desktop-light',
  'overview-phone-dark',
  'sessions-phone-light',
  'operator-hosts-desktop-light',
  'operator-accounts-desktop-dark',
];

const shopFront = `<!doctype html><title>Fern &amp; Finch</title>
<style>
  body { margin: 0; font: 17px sans-serif; color: #23312b; background: #f6f3ec }
  header { padding: 26px 48px; background: #23443a; color: #fff; font-size: 26px }
  main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 28px; padding: 40px 48px }
  article { background: #fff; border-radius: 14px; padding: 22px }
  i { display: block; height: 150px; border-radius: 10px; margin-bottom: 16px }
  b { float: right }
</style>
<header>Fern &amp; Finch</header>
<main>
  <article><i style="background:#a9c7a5"></i>Boston fern <b>€ 18</b></article>
  <article><i style="background:#d9b79a"></i>Terracotta pot <b>€ 12</b></article>
  <article><i style="background:#b8c9d9"></i>Watering can <b>€ 31</b></article>
  <article><i style="background:#dccf92"></i>Field guide <b>€ 24</b></article>
  <article><i style="background:#c6b4d0"></i>Lavender <b>€ 9</b></article>
  <article><i style="background:#9fc3bd"></i>Bird bath <b>€ 64</b></article>
</main>`;

await using undo = new AsyncDisposableStack();
const web = undo.use(await startWebServer());
// No e-mail is sent; the pages show that it could be.
const mail = {
  TURNPIKE_SMTP_URL: 'smtp://127.0.0.1:9',
  TURNPIKE_MAIL_FROM: 'no-reply@example.com',
  TURNPIKE_PUBLIC_URL: 'https://turnpike.example.com',
};
const service = undo.use(await startService({ env: mail }));
const env = { ...process.env, TURNPIKE_DATA_DIR: service.dataDirectory };
const password = await fillStore();
const browser = await chromium.connectOverCDP(undo.use(await startDirectChromium()).url);
undo.defer(() => browser.close());
const cookies = {
  demo: await signIn('demo@example.com'),
  operator: await signIn('operator@example.com'),
};
const demo = accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl);
const webhook = await makeWebhook();
await saveProfile();
const crawl = await crawlSite();
const session = await openSession();
// The demo's hosts are heard of from here on; before, they would have been asked to open the session.
const live = await liveData();
undo.defer(async () => {
  const ended = once(live, 'exit');
  live.kill('SIGTERM');
  await ended;
});
await takeAll({ session, webhook, crawl, account: await findAccount() });

/** Beside the service that runs on the store, which the command would refuse; resolves to the password of its people. */
async function fillStore(): Promise<string> {
  const db = await openDatabase(storeLocation(env), createLogger('warn'));
  try {
    return await fill(db, new Sealer(secretKey(env)));
  } finally {
    await db.destroy();
  }
}

/** Resolves when its sessions run. */
async function liveData() {
  const child = spawn(process.execPath, [join(root, 'scripts/demo/demo-data.ts'), '--live'], { env });
  child.stderr.pipe(process.stderr);
  await once(child.stdout, 'data');
  return child;
}

async function signIn(email: string) {
  const context = await browser.newContext({ baseURL: service.gatewayUrl });
  const page = await context.newPage();
  await page.goto('/sign-in');
  await page.getByLabel('E-mail address').fill(email);
  await page.locator('[type=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** A real one, whose browser shows a page; its path in the dashboard. */
async function openSession(): Promise<string> {
  const context = await browser.newContext({ baseURL: service.gatewayUrl, storageState: cookies.demo });
  const page = await context.newPage();
  await page.goto('/new-session');
  // The demo's default proxy is made up. A URL takes its place.
  await page.locator('[name=proxy]').fill('http://');
  await page.getByRole('button', { name: 'Fill in' }).click();
  await page.locator('[name=proxy][value*="@"]').waitFor();
  await page.getByLabel('Metadata').fill('{ "job": "price-watch", "team": "growth" }');
  await page.getByRole('button', { name: 'Open session' }).click();
  await page.locator('iframe').waitFor({ timeout: 60_000 });
  const code = await page.getByRole('region', { name: 'Playwright' }).locator('pre').textContent();
  const remote = await chromium.connectOverCDP(/connectOverCDP\('(.*)'\)/.exec(code ?? '')?.[1] ?? '');
  const remotePage = remote.contexts()[0]?.pages()[0];
  await remotePage?.goto(`${web.origin}/`);
  await remotePage?.setContent(shopFront);
  await remote.close();
  await context.close();
  return new URL(page.url()).pathname;
}

/** Sent what the sessions after it tell; its path in the dashboard. */
async function makeWebhook(): Promise<string> {
  const { json } = await demo.post('/user/api/webhooks', { url: 'https://hooks.example.com/turnpike' });
  return `/webhooks/${json.id}`;
}

/** A batch whose last page is not there; its path in the dashboard. */
async function crawlSite(): Promise<string> {
  const urls = ['/', '/?a', '/?b'].map((path) => `${web.origin}${path}`).concat('http://nosuch.invalid/');
  const options = { proxy: service.demoProxyUrl, robots: false };
  const { json } = await demo.post('/api/crawl', { urls, ...options });
  await demo.post('/api/crawl', { url: `${web.origin}/`, limit: 3, sitemap: 'skip', ...options });
  while (['queued', 'running'].includes((await demo.get(`/api/crawl/${json.id}`)).json.state))
    await new Promise((resolve) => setTimeout(resolve, 200));
  return `/crawls/${json.id}`;
}

async function saveProfile(): Promise<void> {
  const { json } = await demo.create({ headless: true, profile: 'shop', save_profile: true });
  await demo.close(json.browserId);
}

async function findAccount(): Promise<string> {
  const context = await browser.newContext({ baseURL: service.gatewayUrl, storageState: cookies.operator });
  const page = await context.newPage();
  await page.goto('/accounts');
  const href = await page.getByRole('link', { name: 'ada@analytical.example' }).getAttribute('href');
  await context.close();
  return href ?? '/accounts';
}

async function takeAll(pages: Pages): Promise<void> {
  await mkdir(join(root, 'screenshots'), { recursive: true });
  const encoder = await (await browser.newContext()).newPage();
  for (const [size, device] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const { name, path, who } of shown(pages).filter(({ name }) => name.startsWith(only))) {
        const context = await browser.newContext({
          baseURL: service.gatewayUrl,
          colorScheme,
          ...device,
          ...(who ? { storageState: cookies[who] } : {}),
        });
        const page = await context.newPage();
        await page.goto(path);
        await settled(page);
        const file = `${name}-${size}-${colorScheme}`;
        const png = await page.screenshot();
        await writeFile(join(root, 'screenshots', `${file}.png`), png);
        if (kept.includes(file)) {
          await writeFile(join(root, 'docs/images', `dashboard-${file}.webp`), await webp(encoder, png));
        }
        await context.close();
      }
    }
  }
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  const picture = page.frameLocator('iframe').locator('body[data-state="connected"] #screen canvas');
  if ((await page.locator('iframe').count()) > 0) await picture.waitFor();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
