import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrowserType } from 'playwright-core';

/**
 * Loaded before Playwright's test runner: where it would launch a browser, it opens a session and connects to it. The
 * session ends soon after the runner has disconnected.
 */
const { CONFORMANCE_URL = '', CONFORMANCE_KEY = '', CONFORMANCE_BODY = '', CONFORMANCE_WAY } = process.env;

const { chromium } = createRequire(join(process.cwd(), 'package.json'))('playwright-core') as {
  chromium: BrowserType;
};

chromium.launch = async () => {
  const answer = await fetch(`${CONFORMANCE_URL}/api/browser/create`, {
    method: 'POST',
    headers: { 'x-api-key': CONFORMANCE_KEY, 'content-type': 'application/json' },
    body: CONFORMANCE_BODY,
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  const { cdpUrl, playwrightUrl } = (await answer.json()) as Record<'cdpUrl' | 'playwrightUrl', string>;
  return CONFORMANCE_WAY === 'connect' ? chromium.connect(playwrightUrl) : chromium.connectOverCDP(cdpUrl);
};
