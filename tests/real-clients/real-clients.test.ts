// @module-tag slow

import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { goProgram, npmPackages, orSkip, pythonPackages } from './installed.ts';
import { type Site, startSite } from './site.ts';

watchLeaks({ wholeFile: true });

const run = promisify(execFile);
const programs = join(import.meta.dirname, 'programs');

/** The command that runs a client's program. */
type Command = readonly [program: string, ...args: string[]];

const ofWorkspace = async (program: string): Promise<Command> => [process.execPath, join(programs, program)];

/** A module is looked for beside the program that imports it. */
async function withPackages(program: string, packages: Record<string, string>): Promise<Command> {
  const directory = await npmPackages(packages);
  await copyFile(join(programs, program), join(directory, program));
  return [process.execPath, join(directory, program)];
}

const python = async (program: string, ...packages: string[]): Promise<Command> => [
  await pythonPackages(...packages),
  join(programs, program),
];

const clients: Record<string, () => Promise<Command>> = {
  Playwright: () => ofWorkspace('playwright.mjs'),
  Puppeteer: () => ofWorkspace('puppeteer.mjs'),
  'Selenium by ChromeDriver': () => ofWorkspace('selenium.mjs'),
  'chrome-remote-interface': () =>
    withPackages('chrome-remote-interface.mjs', { 'chrome-remote-interface': '0.34.0' }),
  '@playwright/mcp': () =>
    withPackages('playwright-mcp.mjs', {
      '@playwright/mcp': '0.0.83',
      '@modelcontextprotocol/sdk': '1.32.2',
    }),
  // Version 4 loads an extension from a path of its own machine, which no session takes.
  Stagehand: () => withPackages('stagehand.mjs', { '@browserbasehq/stagehand': '3.7.3' }),
  'Playwright for Python': () => python('with_playwright.py', 'playwright==1.65.0'),
  'browser-use': () => python('with_browser_use.py', 'browser-use==0.13.14'),
  chromedp: async () => [await goProgram('chromedp', 'github.com/chromedp/chromedp', 'v0.21.0')],
  'go-rod': async () => [await goProgram('rod', 'github.com/go-rod/rod', 'v0.116.2')],
};

const all = new AsyncDisposableStack();
let service: SharedService;
let account: TestAccount;
let site: Site;
beforeAll(async () => {
  site = all.use(await startSite());
  service = all.use(await sharedService());
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(() => all.disposeAsync());

test.for(Object.entries(clients))(
  '%s clicks, fills, downloads, uploads, draws, has two tabs, comes back and finds all as it was',
  { timeout: 900_000 },
  async ([, command], { skip }) => {
    const [program, ...args] = await orSkip(command(), skip);
    await using home = await scratchDirectory('home');
    const letterHere = join(home.path, 'letter.txt');
    await writeFile(letterHere, 'dear all');
    const { json } = await account.create({ headless: true });
    const files = `${service.gatewayUrl}/api/browser/${json.browserId}/files`;
    const headers = { 'x-api-key': account.key };
    const put = await fetch(`${files}/letter.txt`, { method: 'PUT', headers, body: 'dear all' });
    expect(put.status).toBe(200);

    // What a client keeps for itself goes with the test: settings, caches, traces.
    const own = join(home.path, 'tmp');
    await mkdir(own);
    const env = { ...process.env, HOME: home.path, TMPDIR: own, NODE_COMPILE_CACHE: '' };
    const session = { CDP_URL: json.cdpUrl, SITE: site.origin };
    const letter = { LETTER: '/home/user/files/letter.txt', LETTER_HERE: letterHere };
    const { stdout } = await run(program, args, {
      env: { ...env, ...session, ...letter },
      cwd: own,
      timeout: 250_000,
    });
    const lastLine = stdout.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(lastLine)).toMatchObject({
      uploaded: 'letter.txt: dear all',
      picture: 'PNG',
      second: 'Second',
      pressed: 'pressed',
      filled: 'Ada',
      tabs: 2,
    });
    const listed = async () =>
      (await (await fetch(files, { headers })).json()) as { files: { name: string }[] };
    await expect.poll(async () => (await listed()).files.map(({ name }) => name)).toContain('report.txt');
    const report = await fetch(`${files}/report.txt`, { headers });
    expect(await report.text()).toBe('the report');

    const status = async () => (await account.get(`/api/browser/${json.browserId}/status`)).json.status;
    expect(await status()).toBe('ACTIVE');
    expect((await account.close(json.browserId)).status).toBe(200);
    expect(await status()).toBe('CLOSED');
  },
);
