// @module-tag slow

import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { freePort } from '../fixtures/network/free-port.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { npmPackages, orSkip, pythonPackages } from '../real-clients/installed.ts';

/** Programs that expect Browserless, from npm and PyPI. They are given another address, and nothing else. */

watchLeaks({ wholeFile: true });

const run = promisify(execFile);
const programs = join(import.meta.dirname, 'programs');

/** The second heading is there only after its script has run. */
const article = `<!doctype html><title>Article</title><h1>Hello</h1><p>from the page</p>
<script>document.body.insertAdjacentHTML('beforeend', '<p id="made">made by a script</p>')</script>`;

type Command = readonly [program: string, ...args: string[]];

const all = new AsyncDisposableStack();
let service: SharedService;
let account: TestAccount;
let page: string;
beforeAll(async () => {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(article),
  );
  page = `http://127.0.0.1:${await listen(server)}/`;
  all.defer(() => closeServer(server));
  service = all.use(await sharedService());
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(() => all.disposeAsync());

/** The address of Browserless in the environment of a program, in the forms that programs want. */
function addresses(): Record<string, string> {
  const { host } = new URL(service.gatewayUrl);
  const proxy = new URLSearchParams({ '--proxy-server': account.proxy });
  const query = new URLSearchParams({ token: account.key, '--proxy-server': account.proxy });
  return {
    BROWSERLESS_WS: `ws://${host}/?${query}`,
    BROWSERLESS_HTTP: `http://${host}/?${query}`,
    BROWSERLESS_PLAYWRIGHT: `ws://${host}/chromium/playwright?${query}`,
    // It appends `?token=…`, which is then the value of `end`. The key is in front of the host, too.
    PDF_URL: `http://${account.key}:@${host}/pdf?${proxy}&end=`,
    TOKEN: account.key,
  };
}

async function runProgram(
  [program, ...args]: Command,
  env: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  await using home = await scratchDirectory('home');
  const own = { HOME: home.path, TMPDIR: home.path, NODE_COMPILE_CACHE: '', PAGE: page };
  const { stdout } = await run(program, args, {
    env: { ...process.env, ...own, ...addresses(), ...env },
    cwd: home.path,
    timeout: 250_000,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Its sessions have ended, and it had at least this many. */
async function allEnded(atLeast = 1): Promise<void> {
  const states = async () =>
    (await account.get('/user/api/sessions')).json.sessions.map(({ status }: { status: string }) => status);
  await expect.poll(states, { timeout: 120_000 }).not.toContain('ACTIVE');
  expect((await states()).length).toBeGreaterThanOrEqual(atLeast);
}

const ofWorkspace = (program: string): Command => [process.execPath, join(programs, program)];

test('a script for Puppeteer', async () => {
  expect(await runProgram(ofWorkspace('with-puppeteer.mjs'))).toEqual({
    title: 'Article',
    heading: 'Hello',
    picture: 'PNG',
    pdf: '%PDF',
  });
  await allEnded();
});

test('scripts for Playwright: over CDP, by discovery, and by its own protocol', async () => {
  const read = 'Article: Hello';
  expect(await runProgram(ofWorkspace('with-playwright.mjs'))).toEqual({
    overCdp: read,
    discovered: read,
    connected: read,
  });
  await allEnded(3);
});

test('puppeteer-html-pdf makes PDFs of HTML and of an address', { timeout: 900_000 }, async ({ skip }) => {
  const directory = await orSkip(npmPackages({ 'puppeteer-html-pdf': '4.0.8' }), skip);
  const program = join(directory, 'with-puppeteer-html-pdf.mjs');
  await copyFile(join(programs, 'with-puppeteer-html-pdf.mjs'), program);
  expect(await runProgram([process.execPath, program])).toEqual({ ofHtml: '%PDF', ofAddress: '%PDF' });
  await allEnded();
});

const pythonPrograms: readonly [name: string, program: string, packages: string[], expected: object][] = [
  [
    'LangChain loads a page as text and as HTML',
    'with_langchain.py',
    ['langchain-community==0.4.2'],
    {
      text: expect.stringContaining('made by a script'),
      html: expect.stringContaining('<p id="made">made by a script</p>'),
    },
  ],
  ['django-browserless makes a PDF', 'with_django.py', ['django-browserless==0.1.1'], { pdf: '%PDF' }],
  [
    'scrapy-playwright crawls a page',
    'with_scrapy.py',
    ['scrapy-playwright==0.0.48', 'playwright==1.65.0'],
    { heading: 'Hello', made: 'made by a script' },
  ],
];

test.for(pythonPrograms)('%s', { timeout: 900_000 }, async ([, program, packages, expected], { skip }) => {
  const python = await orSkip(pythonPackages(...packages), skip);
  expect(await runProgram([python, join(programs, program)])).toMatchObject(expected);
  await allEnded();
});

test.for([
  ['Puppeteer', 'true'],
  ['Playwright', 'false'],
])('changedetection.io watches a page with %s', { timeout: 1_000_000 }, async ([, isPuppeteer], { skip }) => {
  const packages = ['changedetection.io==0.60.10', 'playwright==1.65.0'];
  const python = await orSkip(pythonPackages(...packages), skip);
  await using home = await scratchDirectory('changedetection');
  const store = join(home.path, 'store');
  await mkdir(store);
  const watch = ['-u', page, '-u0', JSON.stringify({ fetch_backend: 'html_webdriver' })];
  await run(
    join(dirname(python), 'changedetection.io'),
    ['-b', '-C', '-d', store, '-p', String(await freePort()), ...watch],
    {
      env: {
        ...process.env,
        HOME: home.path,
        TMPDIR: home.path,
        PLAYWRIGHT_DRIVER_URL: addresses()['BROWSERLESS_WS'],
        FAST_PUPPETEER_CHROME_FETCHER: isPuppeteer,
        ALLOW_IANA_RESTRICTED_ADDRESSES: 'true',
        WEBDRIVER_DELAY_BEFORE_CONTENT_READY: '1',
      },
      cwd: home.path,
      timeout: 400_000,
    },
  );
  const files = await readdir(store, { recursive: true });
  const snapshot = files.find((name) => /\/[0-9a-f]{32}\.txt$/.test(name));
  expect(snapshot, `no snapshot among ${files.join(', ')}`).toBeDefined();
  expect(await readFile(join(store, snapshot ?? ''), 'utf8')).toContain('made by a script');
  expect(files.some((name) => /screenshot/.test(name))).toBe(true);
  await allEnded();
});
