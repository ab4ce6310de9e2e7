import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { serveHttp } from '@turnpike/mcp/serve-http';
import { Turnpike } from 'turnpike-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { command } from '../clients/cli-driver.ts';
import { startPart } from '../fixtures/service/part.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type Agent, connectAgent } from './agent.ts';
import { type Shop, startShop } from './shop.ts';

watchLeaks({ wholeFile: true });

const root = join(import.meta.dirname, '../..');

let shop: Shop;
let service: SharedService;
let turnpike: Turnpike;
beforeAll(async () => {
  shop = await startShop();
  service = await sharedService();
  turnpike = new Turnpike({ endpoint: service.gatewayUrl, apiKey: service.demoKey });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await shop[Symbol.asyncDispose]();
});

const environment = (apiKey = service.demoKey) => ({
  PATH: process.env['PATH'] ?? '',
  XDG_CONFIG_HOME: '/nonexistent',
  TURNPIKE_URL: service.gatewayUrl,
  TURNPIKE_API_KEY: apiKey,
  TURNPIKE_PROXY: service.demoProxyUrl,
});

/** As docs/mcp.md has it, but for where things are. */
async function overStdio(apiKey?: string): Promise<Agent> {
  const written = await readFile(join(root, 'docs/mcp.md'), 'utf8');
  const settings = /```json\n([\s\S]*?)```/.exec(written)?.[1]?.replaceAll('/path/to/turnpike', root);
  const { env: _env, ...started } = JSON.parse(settings ?? '').mcpServers.turnpike;
  return connectAgent(new StdioClientTransport({ ...started, env: environment(apiKey) }));
}

const overHttp = (url: string, headers: Record<string, string>) =>
  connectAgent(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

const headers = () => ({ 'x-api-key': service.demoKey, 'x-turnpike-proxy': service.demoProxyUrl });
const active = () => turnpike.getSessionCount();
const ref = (tree: string, element: string): string =>
  new RegExp(`${element}.*\\[ref=(\\w+)\\]`).exec(tree)?.[1] ?? `(no ${element} in ${tree})`;

async function shopAround(agent: Agent): Promise<void> {
  const opened = await agent.use('open_session', { headless: true });
  const id = /session (br_[0-9a-f]{24})\./.exec(opened)?.[1] ?? '';
  expect((await turnpike.status(id)).browserParams).toMatchObject({ headless: true, idleTimeout: 900 });

  expect(await agent.use('navigate', { url: `${shop.url}/` })).toBe(
    `Page: Shop\nURL: ${shop.url}/\nHTTP status: 200`,
  );
  const markdown = await agent.use('read');
  expect(markdown).toContain(`# Welcome\n\nSee [about us](${shop.url}/about).`);
  expect(markdown).toMatch(/\| Thing \| Price \|\n\| --- \| --- \|\n\| Lamp \| 12 +\|/);
  expect(markdown).not.toMatch(/Not for your eyes|unread/);

  const tree = await agent.use('read', { format: 'accessibility' });
  await agent.use('click', { target: ref(tree, 'button "Greet"') });
  expect(await agent.use('evaluate', { expression: 'document.querySelector("h1").textContent' })).toBe(
    '"Clicked"',
  );
  const field = ref(tree, 'textbox "Search"');
  await agent.use('type', { target: field, text: 'a lamp' });
  const submitted = await agent.use('press', { target: field, key: 'Enter' });
  expect(submitted).toContain(`Page: Found\nURL: ${shop.url}/found?q=a+lamp`);
  await agent.use('wait_for', { text: 'You looked for a lamp.' });
  expect(await agent.refused('click', { target: field })).toContain('Read the page again');

  await agent.use('navigate', { url: `${shop.url}/long` });
  const part = await agent.use('read', { maxChars: 500 });
  expect(part).toMatch(/\[Cut: characters 0 to 500 of \d{5}\. Continue with offset 500\.\]$/);
  expect(await agent.use('read', { maxChars: 500, offset: 500 })).toContain('characters 500 to 1000');

  const { content } = await agent.call('screenshot');
  const [shot] = content;
  expect(shot).toMatchObject({ type: 'image', mimeType: 'image/jpeg' });
  const bytes = Buffer.from(shot?.type === 'image' ? shot.data : '', 'base64');
  expect([bytes.subarray(0, 3).toString('hex'), bytes.length > 2000]).toEqual(['ffd8ff', true]);

  const { host, port, hostname } = new URL(shop.url);
  const traffic = JSON.parse(await agent.use('read_traffic'));
  expect(traffic).toMatchObject({ browserId: id, live: true, maxBytesReached: false, moreDestinations: 0 });
  const toShop = traffic.destinations.find(
    (use: { host: string; port: number }) => `${use.host}:${use.port}` === host,
  );
  expect(toShop).toMatchObject({ host: hostname, port: Number(port), bytesDown: expect.any(Number) });
  expect(toShop.bytesDown).toBeGreaterThan(500);

  const list = await agent.use('list_sessions');
  expect(list).toMatch(/^1 of 5 browsers run\.\n/);
  expect(JSON.parse(list.slice(list.indexOf('\n')))).toMatchObject([
    { session: id, closedWhenYouDisconnect: true },
  ]);
  expect(await agent.use('close_session')).toBe(`Session ${id} is CLOSED.`);
  expect(await active()).toBe(0);
  expect(await agent.refused('read')).toBe('No session is open. Open one with open_session.');
  expect(await agent.refused('read', { session: id })).toBe(
    'Session is CLOSED [SESSION_ENDED]\nOpen a new one with open_session.',
  );

  const proxyPassword = new URL(service.demoProxyUrl).password;
  for (const secret of [service.demoKey, proxyPassword]) expect(agent.heard()).not.toContain(secret);
  expect(agent.heard()).not.toMatch(/br_[0-9a-f]{40}/);
}

test('over stdio an agent opens a browser, reads, clicks, types, looks, lists and closes', async () => {
  await using agent = await overStdio();
  await shopAround(agent);
});

test('over HTTP it does the same, with a key of its own', { tags: 'slow' }, async () => {
  const { TURNPIKE_API_KEY: _key, TURNPIKE_PROXY: _proxy, ...env } = environment();
  await using server = await startPart({
    args: [command, 'mcp', '--http', '0'],
    env,
    ready: /at (http:\S+)/,
  });
  {
    await using agent = await overHttp(server.ready[1] ?? '', headers());
    await shopAround(agent);
  }
  expect(await server.stop()).toBe(0);
  expect(server.logs()).toBe('');
});

test("a limit or a wrong proxy is told in the gateway's words, with what to do next; a profile is saved", {
  tags: 'slow',
}, async () => {
  const { key } = await service.account({ concurrent_limit: 1 });
  await using agent = await overStdio(key);
  const proxy = service.demoProxyUrl;
  expect(await agent.refused('open_session', { proxy: 'http://proxy.example' })).toMatch(
    /^That proxy is not valid\. .*\[PROXY_INVALID\]\nWrite the proxy as/,
  );
  await agent.use('open_session', { proxy, headless: true, profile: 'shopper', saveProfile: true });
  expect(await agent.refused('open_session', { proxy, headless: true })).toBe(
    'Concurrent browser limit reached (1 of 1) [CONCURRENCY_LIMIT]\n' +
      'Close a session with close_session (list_sessions shows them), or let open_session wait for a free slot.',
  );
  const own = new Turnpike({ endpoint: service.gatewayUrl, apiKey: key });
  const [running] = await own.listBrowsers();
  expect((await own.status(running?.browserId ?? '')).browserParams).toMatchObject({ saveProfile: true });
  expect(await agent.refused('navigate', { url: 'http://127.0.0.1:1/' })).toMatch(/net::ERR_/);
  await expect(agent.use('navigate', { url: 'file:///etc/passwd' })).rejects.toThrow();
  expect(await agent.refused('read', { session: 'br_000000000000000000000000' })).toMatch(
    /^Session not found \[SESSION_NOT_FOUND\]\n/,
  );
  await agent.use('close_session', { session: running?.browserId });
  expect(await own.listProfiles()).toMatchObject([{ name: 'shopper' }]);
});

test('an agent that is killed leaves no browser, not even one that was still opening', async () => {
  const child = spawn(process.execPath, [command, 'mcp'], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const open = (id: number) =>
    send({ id, method: 'tools/call', params: { name: 'open_session', arguments: { headless: true } } });
  let heard = '';
  child.stdout.on('data', (chunk) => {
    heard += chunk;
  });
  const clientInfo = { name: 'doomed', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  send({ method: 'notifications/initialized' });
  open(2);
  await vi.waitFor(() => expect(heard).toContain('Opened session'), 30_000);
  open(3);
  await vi.waitFor(async () => expect((await turnpike.getLimits()).remaining).toBe(3), 30_000);
  child.stdin.destroy();
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await turnpike.getLimits()).toMatchObject({ active: 0, remaining: 5 });
});

test('over HTTP an agent counts as gone when its stream is, and what it asked to keep stays', {
  tags: 'slow',
}, async () => {
  const absence = { streamMs: 300, quietMs: 600_000 };
  await using server = await serveHttp({ port: 0, endpoint: service.gatewayUrl, absence });
  const agent = await overHttp(server.url, headers());
  await agent.use('open_session', { headless: true });
  const kept = await agent.use('open_session', { headless: true, keep: true });
  // Without a DELETE, as a crash would.
  await agent.client.close();
  await vi.waitFor(async () => expect(await active()).toBe(1), 20_000);
  const [running] = await turnpike.listBrowsers();
  expect(kept).toContain(running?.browserId);
  await turnpike.close(running?.browserId);
});

test('the HTTP server answers nobody from another site, without a key, or with a key that is not the agent’s', async () => {
  await using server = await serveHttp({ port: 0, endpoint: service.gatewayUrl });
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize' };
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  };
  const ask = (more: Record<string, string>, message: object = { ...initialize, params }) =>
    fetch(server.url, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...more,
      },
      body: JSON.stringify(message),
    });
  const own = { authorization: `Bearer ${service.demoKey}` };
  expect((await ask({ ...own, origin: 'https://evil.example' })).status).toBe(403);
  expect((await ask({})).status).toBe(401);
  const wrong = await ask({ 'x-api-key': `tp_live_${'0'.repeat(64)}` });
  expect([wrong.status, ((await wrong.json()) as any).error.message]).toEqual([401, 'Invalid API key']);

  const begun = await ask(own);
  expect(begun.status).toBe(200);
  await begun.text();
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const { key } = await service.account();
  expect((await ask({ ...session, 'x-api-key': key }, list)).status).toBe(404);
  const tools = await ask({ ...session, ...own }, list);
  expect([tools.status, await tools.text()]).toEqual([200, expect.stringContaining('"open_session"')]);
});
