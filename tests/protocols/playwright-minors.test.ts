// @module-tag slow
import { type Browser, chromium as newest } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { scenarios } from './playwright-scenarios.ts';
import { type PlaywrightSession, type PlaywrightSite, startPlaywrightSite } from './playwright-session.ts';

watchLeaks({ wholeFile: true });

let site: PlaywrightSite;
beforeAll(async () => {
  site = await startPlaywrightSite();
});
afterAll(() => site[Symbol.asyncDispose]());

const minors = [65, 64, 63, 62, 61];

interface Way {
  name: string;
  headless?: boolean;
  connect(session: PlaywrightSession): Promise<Browser>;
  /** Scenarios that do not work in this way, with what Playwright says. */
  without: Record<string, RegExp>;
}

const ways: Way[] = [
  ...minors.map((minor) => ({
    name: `1.${minor} over connect()`,
    async connect({ playwrightUrl }: PlaywrightSession) {
      const { default: playwright } = await import(`playwright-core-1-${minor}`);
      return await (playwright.chromium as typeof newest).connect(playwrightUrl);
    },
    without: {},
  })),
  {
    name: 'the newest over connect(), headful',
    headless: false,
    connect: ({ playwrightUrl }) => newest.connect(playwrightUrl),
    without: {},
  },
  {
    name: 'the newest over connectOverCDP()',
    connect: ({ url }) => newest.connectOverCDP(url),
    without: {
      'uploads 80 MB': /larger than 50Mb/,
      'saves downloads, also two of one name': /saveAs: ENOENT/,
      'records a video': /Video rendering requires ffmpeg/,
    },
  },
];

describe.each(ways)('$name', ({ headless = true, connect, without }) => {
  let browser: Browser;
  let session: PlaywrightSession;

  beforeAll(async () => {
    session = await site.open({ headless });
    browser = await connect(session);
  });
  afterAll(async () => {
    await browser.close();
    await site.host.host.close(session.sessionId);
  });

  test.each(Object.entries(scenarios))('%s', async (name, run) => {
    const context = browser.contexts()[0] ?? expect.fail('there is no default context');
    const page = await context.newPage();
    const done = run({ browser, context, page, web: site.web, scratch: site.scratch.path });
    if (without[name]) await expect(done).rejects.toThrow(without[name]);
    else await done;
    await page.close();
  });
});
