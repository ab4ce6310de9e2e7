// @module-tag slow

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCertificates } from '../fixtures/network/certificates.ts';
import { listen } from '../fixtures/network/listen.ts';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { startWorldProxy, type WorldRequest } from '../fixtures/network/world-proxy.ts';
import { type ScratchDirectory, scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { orSkip, pythonPackages } from '../real-clients/installed.ts';
import { planted, respond, visitWithPlaywright } from './recorded-shop.ts';

watchLeaks({ wholeFile: true });

const run = promisify(execFile);
const all = new AsyncDisposableStack();
let directory: ScratchDirectory;
let web: WebServer;
let securePort: number;
let squid: Squid;
let service: SharedService;

beforeAll(async () => {
  directory = all.use(await scratchDirectory('har'));
  web = all.use(await startWebServer());
  securePort = await startSecureServer();
  const world = all.use(
    await startWorldProxy((request, response) =>
      request.host === 'shop.test' || request.host === 'gone.test'
        ? respond(request, response)
        : respondMore(request, response),
    ),
  );
  squid = all.use(await startSquid({ testWorldPort: world.upstream.port }));
  service = all.use(await sharedService());
});
afterAll(() => all.disposeAsync());

async function startSecureServer(): Promise<number> {
  const { certFile, keyFile } = await makeCertificates(directory.path);
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const server = createServer({ cert, key }, (_request, response) => void response.end('secure'));
  all.defer(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return await listen(server);
}

const page = `<!doctype html><title>More</title><link rel="stylesheet" href="/style.css"><script src="/script.js"></script>
  <img src="/picture.png"><iframe src="http://frame.test/"></iframe>`;
const worker = `fetch('/from-worker').then(() => postMessage('done'))`;

/** The site of what the shop has not. */
function respondMore({ host, path }: WorldRequest, response: ServerResponse): void {
  const types: Record<string, string> = { '/style.css': 'text/css', '/script.js': 'text/javascript' };
  response.setHeader('content-type', types[path] ?? 'text/html');
  response.setHeader('cache-control', path === '/cached' ? 'max-age=3600' : 'no-store');
  if (host === 'api.test')
    for (const what of ['origin', 'methods', 'headers'])
      response.setHeader(`access-control-allow-${what}`, '*');
  if (path === '/redirect') response.writeHead(302, { location: '/redirected' }).end();
  else if (path === '/worker.js') response.setHeader('content-type', 'text/javascript').end(worker);
  else if (path === '/missing') response.writeHead(404).end();
  else response.end(path === '/' && host === 'more.test' ? page : '');
}

/** Asks in every way that a page can. */
async function visitMore(browser: Browser): Promise<void> {
  const context = browser.contexts()[0];
  const tab = await context?.newPage();
  if (!context || !tab) throw new Error('The session has no page');
  const cdp = await context.newCDPSession(tab);
  await cdp.send('Security.setIgnoreCertificateErrors', { ignore: true });
  await tab.goto('http://more.test/');
  await tab.evaluate(`(async () => {
    for (const path of ['/redirect', '/missing', '/cached', '/cached']) await (await fetch(path)).text();
    await fetch('http://api.test/put', { method: 'PUT', headers: { 'x-some': 'header' }, body: 'some' });
    await fetch('https://localhost:${securePort}/', { mode: 'no-cors' });
    navigator.sendBeacon('/beacon', 'some');
    const worker = new Worker('/worker.js');
    await new Promise((resolve) => worker.addEventListener('message', resolve));
    worker.terminate();
    await new Promise((resolve) => {
      const socket = new WebSocket('ws://localhost:${web.port}/');
      socket.onopen = () => socket.close();
      socket.onclose = resolve;
    });
  })()`);
  await tab.goto(`https://localhost:${securePort}/page`);
  await tab.close();
}

interface HarEntry {
  request: { method: string; url: string };
  response: { status: number };
  _fromCache?: boolean;
}

test('the HAR of a session has the requests that its proxy has logged, and others can read it', async ({
  skip,
}) => {
  const account = await service.account();
  const { json } = await account.create({ proxy: `http://${squid.url}`, record: true, headless: true });
  const browser = await chromium.connectOverCDP(json.cdpUrl);
  await visitMore(browser);
  await visitWithPlaywright(browser);
  await account.close(json.browserId);
  const recording = `/api/browser/${json.browserId}/recording`;
  await expect.poll(async () => (await account.get(recording)).json.state).toBe('ready');
  const har = await account.get(`${recording}/export?format=har`);
  expect(har.status).toBe(200);
  const { entries } = JSON.parse(har.text).log as { entries: HarEntry[] };
  const sent = entries.filter(
    ({ _fromCache, request }) => !_fromCache && /^(?:http|ws)s?:/.test(request.url),
  );

  const log = async () =>
    (await squid.accessLog()).filter(({ target }) => !target.startsWith('turnpike-check.'));
  const plain = sent.filter(({ request }) => request.url.startsWith('http:'));
  expect(plain.map(({ request }) => `${request.method} ${request.url}`).toSorted()).toEqual(
    (await log())
      .filter(({ method }) => method !== 'CONNECT')
      .map(({ method, target }) => `${method} ${target.replace(planted.urlToken, '•••')}`)
      .toSorted(),
  );
  const tunnelled = sent.filter((entry) => !plain.includes(entry)).map(({ request }) => new URL(request.url));
  const hosts = new Set(tunnelled.map(({ host }) => host));
  const tunnels = async () => (await log()).filter(({ method }) => method === 'CONNECT');
  // A tunnel is logged when it has ended.
  await expect.poll(async () => new Set((await tunnels()).map(({ target }) => target))).toEqual(hosts);
  // Whether Chromium gets to ask for the page's icon depends on when the page is closed.
  const asked = tunnelled.map(({ pathname }) => pathname).filter((path) => path !== '/favicon.ico');
  expect(asked.toSorted()).toEqual(['/', '/', '/page']);

  const file = join(directory.path, 'session.har');
  await writeFile(file, har.text);
  const python = await orSkip(pythonPackages('haralyzer==2.4.0'), skip);
  const program = `import json, sys
from haralyzer import HarParser
with open(sys.argv[1]) as file:
    pages = HarParser(json.load(file)).pages
print(json.dumps([[e.request.method, e.request.url, e.response.status] for p in pages for e in p.entries]))`;
  const { stdout } = await run(python, ['-c', program, file]);
  const read = (JSON.parse(stdout) as unknown[]).map((entry) => JSON.stringify(entry));
  const written = entries.map(({ request, response }) =>
    JSON.stringify([request.method, request.url, response.status]),
  );
  expect(read.toSorted()).toEqual(written.toSorted());
});
