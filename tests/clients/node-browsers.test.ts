import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import puppeteer from 'puppeteer-core';
import { Turnpike } from 'turnpike-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

const root = join(import.meta.dirname, '../..');

let web: WebServer;
let service: SharedService;
beforeAll(async () => {
  web = await startWebServer();
  service = await sharedService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
});

const newClient = () => new Turnpike({ endpoint: service.gatewayUrl, apiKey: service.demoKey });

test("the script of the client's README loads a page by Playwright, as written but for the address", {
  tags: 'slow',
}, async () => {
  const readme = await readFile(join(root, 'packages/client/README.md'), 'utf8');
  const script = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  // Below the root, so that it finds its packages.
  const file = join(root, 'node_modules', `.client-readme-${process.pid}.mjs`);
  await using _removed = { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
  await writeFile(file, script.replaceAll('https://example.com/', `${web.origin}/`));
  const env = {
    ...process.env,
    TURNPIKE_URL: service.gatewayUrl,
    TURNPIKE_API_KEY: service.demoKey,
    TURNPIKE_PROXY: service.demoProxyUrl,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  expect(stdout.trim()).toBe('Turnpike test page');
  expect(await newClient().getSessionCount()).toBe(0);
});

test('withBrowser drives Puppeteer too, and closes the session when the work fails or is called off', async () => {
  const turnpike = newClient();
  const options = { proxy: service.demoProxyUrl, headless: true, driver: puppeteer };
  const failing = turnpike.withBrowser(options, async (browser, session) => {
    const page = await browser.newPage();
    await page.goto(`${web.origin}/`);
    expect(await page.title()).toBe('Turnpike test page');
    expect(session.browserId).toBe(turnpike.sessionId);
    throw new Error('the work failed');
  });
  await expect(failing).rejects.toThrow('the work failed');
  expect(await turnpike.getSessionCount()).toBe(0);

  const controller = new AbortController();
  const calledOff = turnpike.withBrowser({ ...options, signal: controller.signal }, async (browser) => {
    const gone = new Promise((resolve) => browser.once('disconnected', resolve));
    controller.abort(new Error('called off'));
    await gone;
  });
  await expect(calledOff).resolves.toBeUndefined();
  expect(await turnpike.getSessionCount()).toBe(0);
});
