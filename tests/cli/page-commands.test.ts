import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import { Turnpike } from 'turnpike-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { command, turnpike } from '../clients/cli-driver.ts';
import { MadeUpSite } from '../fixtures/crawl/made-up-site.ts';
import { startGatewayOn, type TestAccount, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { type ScratchDirectory, scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { runOnTerminal } from '../fixtures/process/terminal.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

const url = 'https://example.com/';
let gateway: TestGateway;
let home: ScratchDirectory;
let account: TestAccount;
let answered: TestGateway['host']['answerPage'];
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite', { webhookAllow: '127.0.0.0/8' });
  home = await scratchDirectory('pages');
  account = await gateway.account();
  answered = gateway.host.answerPage;
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});
beforeEach(() => {
  gateway.host.answerPage = answered;
});

const environment = () => ({
  XDG_CONFIG_HOME: home.path,
  TURNPIKE_URL: gateway.url,
  TURNPIKE_API_KEY: account.key,
  TURNPIKE_PROXY: account.proxy,
});
const run = (...args: string[]) => turnpike(environment(), args);
const answer = (more: object) => {
  gateway.host.answerPage = async (call: PageCall) => ({ ...(await answered(call)), ...more }) as PageAnswer;
};

test('a picture is saved as its file is called, with options of a create and of the page', async () => {
  const file = join(home.path, 'shot.jpg');
  const flags = ['--full-page', '--os', 'macos', '--viewport', '800x600', '--wait-until', 'networkidle2'];
  const { code, stdout } = await run(
    ...['screenshot', url, '-o', file, ...flags, '--page', '{"bestAttempt":true}', '--json'],
  );
  expect(code).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('a page');
  expect(JSON.parse(stdout)).toMatchObject({ status: 200, url, file });
  const called = gateway.host.pageCalls.at(-1);
  expect(called?.parameters).toEqual({
    url,
    viewport: { width: 800, height: 600 },
    gotoOptions: { waitUntil: 'networkidle2' },
    screenshotOptions: { type: 'jpeg', fullPage: true },
    bestAttempt: true,
  });
  const session = (await account.get(`/api/browser/${called?.sessionId}/status`)).json;
  expect(session.browserParams).toMatchObject({ os: 'macos' });
});

test('text goes to standard output, links and elements are lines', async () => {
  expect(await run('markdown', url, '--whole-page')).toMatchObject({ code: 0, stdout: 'a page\n' });
  expect(gateway.host.pageCalls.at(-1)).toMatchObject({
    formats: ['markdown'],
    parameters: { onlyMainContent: false },
  });
  answer({ body: Buffer.from(JSON.stringify({ links: [`${url}a`, `${url}b`] })) });
  expect((await run('links', url)).stdout).toBe(`${url}a\n${url}b\n`);
  const results = [{ text: 'Two\n words', html: '', attributes: [] }];
  answer({ body: Buffer.from(JSON.stringify({ scrape: [{ selector: 'h1', results }] })) });
  expect((await run('scrape', url, 'h1', 'p')).stdout).toBe('Two words\n');
  expect(gateway.host.pageCalls.at(-1)?.parameters.elements).toEqual([{ selector: 'h1' }, { selector: 'p' }]);
});

test('JSON of a page fits the schema in a file, and page calls can be turned off', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: '{"title":"A page"}' } }] }));
  });
  const port = await listen(server);
  const client = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
  await client.setModel({ url: `http://127.0.0.1:${port}/v1`, model: 'm', key: 'k' });
  const file = join(home.path, 'schema.json');
  const properties = { title: { type: 'string' } };
  await writeFile(file, JSON.stringify({ type: 'object', properties, required: ['title'] }));
  const { code, stdout } = await run('json', url, '--schema', file, '--prompt', 'the title');
  expect([code, JSON.parse(stdout)]).toEqual([0, { title: 'A page' }]);
  expect((await run('json', url, '--schema', join(home.path, 'none.json'))).code).not.toBe(0);
  await closeServer(server);

  expect((await run('settings', '--page-calls', 'off', '--json')).stdout).toContain('"pageCalls": false');
  expect((await run('markdown', url)).stderr).toContain('turned page calls off');
  expect((await run('settings', '--page-calls', 'on')).stdout).toMatch(/page calls\s+on/);
});

test('bytes go to standard output with -o -, and a page that does not load ends with 9', async () => {
  expect(await run('pdf', url, '-o', '-', '--format', 'a4')).toMatchObject({ code: 0, stdout: 'a page' });
  expect(gateway.host.pageCalls.at(-1)?.parameters.pdfOptions).toEqual({ format: 'a4' });
  answer({ error: { code: 'PAGE_DNS', message: 'There is no host example.com.' } });
  const failed = await run('content', url);
  expect(failed).toMatchObject({ code: 9, stdout: '' });
  expect(failed.stderr).toContain('There is no host example.com.');
  const { error } = JSON.parse((await run('content', url, '--json')).stderr);
  expect(error).toMatchObject({ class: 'PageError', code: 'PAGE_DNS', page: { url } });
});

test('a crawl prints pages as they come, or writes them to a file', async () => {
  const site = new MadeUpSite()
    .add('https://site.test/', { links: ['/a', '/b'] })
    .add('https://site.test/a')
    .add('https://site.test/b');
  gateway.host.answerPage = site.answer;
  const crawl = ['crawl', 'https://site.test/', '--sitemap', 'skip', '--no-robots'];
  const { code, stdout } = await run(...crawl, '--exclude', '**/b');
  expect([code, stdout.split('\n').map((line) => line.split('  ')[1])]).toEqual([
    0,
    ['https://site.test/', 'https://site.test/a', undefined],
  ]);
  const file = join(home.path, 'site.ndjson');
  expect(await run(...crawl, '-o', file, '--limit', '1')).toMatchObject({ code: 0, stdout: '' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    url: 'https://site.test/',
    result: 'done',
  });
  expect((await run(...crawl, '--detach')).stdout).toMatch(/^cr_[0-9a-f]{24}\n$/);
});

test('a picture is not printed to a terminal, and costs nothing then', async () => {
  // A crawl of the test before may still go on.
  const pictures = () =>
    gateway.host.pageCalls.filter(({ formats }) => formats.includes('screenshot')).length;
  const before = pictures();
  await using terminal = runOnTerminal([process.execPath, command, 'screenshot', url], environment());
  expect(await terminal.exited).toBe(1);
  expect(terminal.screen()).toContain('is not printed to a terminal');
  expect(pictures()).toBe(before);
});
