import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { serveHttp } from '@turnpike/mcp/serve-http';
import { Turnpike } from 'turnpike-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGatewayOn, type TestAccount, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectAgent } from '../mcp/agent.ts';
import { turnpike as runCommand } from './cli-driver.ts';

/** Saved proxies and pools in the Node client, on the command line and as tools of an agent. */

watchLeaks();

let gateway: TestGateway;
let account: TestAccount;
let turnpike: Turnpike;
beforeEach(async () => {
  gateway = await startGatewayOn('sqlite');
  account = await gateway.account();
  turnpike = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
});
afterEach(() => gateway[Symbol.asyncDispose]());

/** The proxy of the tests, with a password. */
const withPassword = () => account.proxy.replace(/:\/\/([^@/]*@)?/, '://user:sesame@');

test('a proxy is saved, changed, put in a pool, made the default, used and deleted', async () => {
  const { proxies, pools } = turnpike;
  const saved = await proxies.create({ name: 'a', url: withPassword(), country: 'DE', pricePerGb: 4.5 });
  expect(saved).toMatchObject({ name: 'a', country: 'DE', pricePerGb: 4.5, health: { state: 'unknown' } });
  expect(saved.url).toContain('user:***@');
  await expect(proxies.create({ name: 'a', url: withPassword() })).rejects.toMatchObject({
    code: 'PROXY_NAME_TAKEN',
  });
  expect(await proxies.change('a', { name: 'b', notes: 'fast', country: null })).toMatchObject({
    name: 'b',
    notes: 'fast',
    country: null,
  });
  expect(await proxies.check('b')).toMatchObject({ ok: true, latencyMs: expect.any(Number), error: null });
  expect((await proxies.get('b')).health.state).toBe('healthy');
  await proxies.create({ name: 'c', url: withPassword() });
  expect((await proxies.list()).map(({ name }) => name)).toEqual(['b', 'c']);

  const pool = await pools.create({ name: 'p', policy: 'round_robin', members: ['c', 'b'] });
  expect(pool.members.map(({ name }) => name)).toEqual(['c', 'b']);
  expect(await pools.change('p', { policy: 'sticky' })).toMatchObject({ policy: 'sticky' });
  expect(await proxies.setDefault('pool:p')).toBe('pool:p');
  expect(await proxies.getDefault()).toBe('pool:p');
  const session = await turnpike.create({ proxyKey: 'customer-42' });
  expect(session.browserParams).toMatchObject({ proxyName: 'c', proxyPool: 'p' });
  expect(await proxies.delete('c').catch((error) => error)).toMatchObject({
    statusCode: 409,
    code: 'PROXY_IN_USE',
  });

  await turnpike.close(session.browserId);
  await proxies.setDefault(null);
  await pools.delete('p');
  expect(await pools.list()).toEqual([]);
  await proxies.delete('c');
  await expect(proxies.get('c')).rejects.toMatchObject({ statusCode: 404 });
  expect((await proxies.usage('b')).every(({ sessions }) => sessions === 0)).toBe(true);
});

test('a running session changes its proxy and rotates', async () => {
  for (const name of ['a', 'b']) await turnpike.proxies.create({ name, url: withPassword() });
  await turnpike.pools.create({ name: 'p', policy: 'round_robin', members: ['a', 'b'] });
  const { browserId } = await turnpike.create({ proxy: account.proxy });
  await expect(turnpike.rotate(browserId)).rejects.toMatchObject({ code: 'NOTHING_TO_ROTATE' });
  const changed = await turnpike.changeProxy(browserId, { proxy: 'pool:p' });
  expect(changed.browserParams).toMatchObject({ proxyName: 'a', proxyPool: 'p' });
  expect((await turnpike.rotate(browserId)).browserParams).toMatchObject({ proxyName: 'b' });
});

test('the command line saves proxies without their URL as an argument, and lists them', async () => {
  await using home = await scratchDirectory('proxies');
  const env = {
    XDG_CONFIG_HOME: home.path,
    TURNPIKE_URL: gateway.url,
    TURNPIKE_API_KEY: account.key,
    TURNPIKE_PROXY: withPassword(),
  };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(env, args);
    expect(stderr, args.join(' ')).toBe('');
    expect(code, args.join(' ')).toBe(0);
    expect(stdout).not.toContain('sesame');
    return stdout;
  };
  expect(await run('proxies', 'add', 'a', '--country', 'de', '--price', '4.5', '--tags', 'x,y')).toContain(
    'Use it as name:a.',
  );
  expect(JSON.parse(await run('proxies', 'show', 'a', '--json'))).toMatchObject({
    country: 'DE',
    pricePerGb: 4.5,
    tags: ['x', 'y'],
  });
  expect(await run('proxies', 'set', 'a', '--price', 'none', '--rename', 'b')).toContain('name:b');
  expect(await run('proxies', 'ls')).toMatch(/^b +unknown +DE/m);
  expect(await run('pools', 'add', 'p', '--members', 'b')).toContain('pool:p');
  expect(await run('pools', 'ls')).toMatch(/^p +round_robin +b/m);
  expect(await run('pools', 'set', 'p', '--policy', 'random')).toContain('random');
  expect(await run('default-proxy', 'pool:p')).toBe('pool:p\n');
  expect(await run('default-proxy', 'none')).toContain('There is none');
  expect(await run('proxies', 'usage', 'b', '--json')).toContain('"sessions"');
  expect(await run('pools', 'rm', 'p')).toBe('Pool p is deleted.\n');
  expect(await run('proxies', 'rm', 'b')).toBe('Proxy b is deleted.\n');
}, 120_000);

test('an agent sees saved proxies without their passwords, and changes that of a session', async () => {
  await turnpike.proxies.create({ name: 'a', url: withPassword() });
  await turnpike.pools.create({ name: 'p', policy: 'sticky', members: ['a'] });
  await using server = await serveHttp({ port: 0, endpoint: gateway.url });
  const headers = { 'x-api-key': account.key, 'x-turnpike-proxy': account.proxy };
  await using agent = await connectAgent(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
  );
  const listed = await agent.use('list_proxies', {});
  expect(JSON.parse(listed)).toMatchObject({
    default: null,
    proxies: [{ proxy: 'name:a', state: 'unknown' }],
    pools: [{ proxy: 'pool:p', needsProxyKey: true, members: ['a: unknown'] }],
  });
  expect(listed).not.toContain('sesame');
  const { browserId } = await turnpike.create({ proxy: account.proxy });
  expect(await agent.use('change_proxy', { session: browserId, proxy: 'name:a' })).toBe(
    `Session ${browserId} uses name:a now.`,
  );
  expect(await agent.refused('rotate_proxy', { session: browserId })).toContain('[NOTHING_TO_ROTATE]');
});
