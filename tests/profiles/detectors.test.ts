// @module-tag slow

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatingSystems } from '@turnpike/contract/create-parameters';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from '../fidelity/both-browsers.ts';
import { startDirectChromium } from '../fixtures/browsers/direct-chromium.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { npmPackages, orSkip } from '../real-clients/installed.ts';
import { headlessSignsExpression } from './headless-signs.ts';
import { tracesExpression } from './traces.ts';

watchLeaks({ wholeFile: true });

/** Public detectors, by their npm packages. */
const detectors = { fpscanner: '1.0.2', '@fingerprintjs/botd': '2.0.0' };

const page = `<!doctype html><title>detectors</title><body>
<script>const traces = ${tracesExpression};</script>
<script type="module">
import { load } from '/botd.js';
import FingerprintScanner from '/fpscanner.js';
const botd = await load();
const bot = botd.detect();
const scanner = new FingerprintScanner();
const { fastBotDetectionDetails } = await scanner.collectFingerprint({ encrypt: false });
const flagged = Object.entries(fastBotDetectionDetails).filter(([, { detected }]) => detected).map(([name]) => name);
const signs = await ${headlessSignsExpression};
globalThis.seen = { bot: bot.bot ? bot : false, flagged, traces, signs: Object.keys(signs).filter((name) => signs[name]) };
</script>`;

interface Seen {
  bot: unknown;
  flagged: string[];
  traces: string[];
  signs: string[];
}

const visits = {
  async Playwright(cdpUrl: string, origin: string): Promise<Seen> {
    const browser = await chromium.connectOverCDP(cdpUrl);
    const opened = await browser.contexts()[0]?.newPage();
    await opened?.goto(origin);
    const handle = await opened?.waitForFunction('globalThis.seen', undefined, { polling: 50 });
    const seen = (await handle?.jsonValue()) as Seen;
    await browser.close();
    return seen;
  },
  async Puppeteer(cdpUrl: string, origin: string): Promise<Seen> {
    const browser = await puppeteer.connect({ browserWSEndpoint: cdpUrl, defaultViewport: null });
    const opened = await browser.newPage();
    await opened.goto(origin);
    const handle = await opened.waitForFunction('globalThis.seen', { polling: 50 });
    const seen = (await handle.jsonValue()) as Seen;
    await opened.close();
    await browser.disconnect();
    return seen;
  },
};

const all = new AsyncDisposableStack();
let account: TestAccount;
/** From a country, so that the time zone is not that of no place. */
let proxy: string;
let ready: Promise<{ site: Site; plain: Seen }> | undefined;

beforeAll(async () => {
  const service = all.use(await sharedService());
  account = await service.account({ creates_per_minute: 1000 });
  const user = `${account.proxyUser}-country-us:${account.proxyPassword}`;
  proxy = `http://${user}@${new URL(service.proxyUrl).host}`;
});
afterAll(() => all.disposeAsync());

/** A page with the detectors, and what it says of a Chromium that nothing stands before. */
async function startDetectors(): Promise<{ site: Site; plain: Seen }> {
  const directory = await npmPackages(detectors);
  const file = (path: string) => readFile(join(directory, 'node_modules', path), 'utf8');
  const botd = await file('@fingerprintjs/botd/dist/botd.esm.js');
  const fpscanner = await file('fpscanner/dist/fpScanner.es.js');
  const site = all.use(await startSite({ '/': page, '/botd.js': botd, '/fpscanner.js': fpscanner }));
  await using direct = await startDirectChromium();
  const plain = await visits.Puppeteer(direct.url, site.origin);
  return { site, plain };
}

const cells = operatingSystems.flatMap((os) =>
  [true, false].flatMap((headless) =>
    (['Playwright', 'Puppeteer'] as const).map((client) => ({ os, headless, client })),
  ),
);

test.for(cells)(
  'os=$os, headless=$headless under $client is no bot to public detectors, and no more headless than a plain Chromium',
  async ({ os, headless, client }, { skip }) => {
    ready ??= startDetectors();
    const { site, plain } = await orSkip(ready, skip);
    const opened = await account.create({ os, headless, proxy });
    const seen = await visits[client](opened.json.cdpUrl, site.origin);
    await account.close(opened.json.browserId);
    expect(seen.bot).toBe(false);
    // A DevTools client enables `Runtime`, which shows; `stealth` is for that.
    expect(seen.flagged.filter((name) => name !== 'hasCDP')).toEqual([]);
    expect(seen.traces).toEqual([]);
    expect(seen.signs.filter((name) => name.endsWith('!'))).toEqual([]);
    const ordinary = plain.signs.filter((name) => !name.endsWith('!'));
    expect(seen.signs.length, `${seen.signs}, beside ${ordinary}`).toBeLessThanOrEqual(ordinary.length);
  },
);
