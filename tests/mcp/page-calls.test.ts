import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import { serveHttp } from '@turnpike/mcp/serve-http';
import { expect, test } from 'vitest';
import { MadeUpSite } from '../fixtures/crawl/made-up-site.ts';
import { startGatewayOn } from '../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectAgent } from './agent.ts';

watchLeaks();

const url = 'https://example.com/';

test('an agent reads pages without a session, as much as it asks for', async () => {
  await using gateway = await startGatewayOn('sqlite');
  await using server = await serveHttp({ port: 0, endpoint: gateway.url });
  const account = await gateway.account();
  const headers = { 'x-api-key': account.key, 'x-turnpike-proxy': account.proxy };
  await using agent = await connectAgent(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
  );
  const answered = gateway.host.answerPage;
  const answer = (more: object) => {
    gateway.host.answerPage = async (call: PageCall) =>
      ({ ...(await answered(call)), ...more }) as PageAnswer;
  };

  answer({ body: Buffer.from(JSON.stringify({ markdown: `# Long ${'a'.repeat(30_000)}` })) });
  const read = await agent.use('read_page', { url, waitForSelector: 'main' });
  expect(read).toMatch(/^Page: \nURL: https:\/\/example\.com\/\nHTTP status: 200\n\n# Long aaa/);
  expect(read).toMatch(/\[Cut: characters 0 to 20000 of 30007\. Continue with offset 20000\.\]$/);
  expect(gateway.host.pageCalls[0]).toMatchObject({
    formats: ['markdown'],
    parameters: { url, onlyMainContent: true, waitForSelector: { selector: 'main' } },
  });

  answer({ body: Buffer.from(JSON.stringify({ links: [`${url}a`, `${url}b`] })) });
  expect(await agent.use('extract_links', { url })).toContain(`\n\n${url}a\n${url}b`);

  answer({ type: 'image/jpeg', body: Buffer.from('picture') });
  const { content } = await agent.call('screenshot_page', { url });
  const data = Buffer.from('picture').toString('base64');
  expect(content).toEqual([{ type: 'image', mimeType: 'image/jpeg', data }]);
  answer({ type: 'image/jpeg', body: Buffer.alloc(5 * 2 ** 20) });
  expect(await agent.use('screenshot_page', { url, fullPage: true })).toContain('Take one without fullPage');

  answer({ error: { code: 'PAGE_HTTP_403', message: 'The page answered with status 403.' } });
  expect(await agent.refused('read_page', { url })).toBe(
    'The page answered with status 403. [PAGE_HTTP_403]',
  );
  expect(agent.heard()).not.toContain(account.key);
  await expect.poll(async () => (await account.get('/api/browsers')).json).toEqual([]);
});

test('an agent crawls a site, reads its pages by the cursor, and cancels another crawl', async () => {
  await using gateway = await startGatewayOn('sqlite');
  await using server = await serveHttp({ port: 0, endpoint: gateway.url });
  const account = await gateway.account();
  const headers = { 'x-api-key': account.key, 'x-turnpike-proxy': account.proxy };
  await using agent = await connectAgent(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
  );
  const site = 'https://site.test';
  const made = new MadeUpSite()
    .add(`${site}/`, { links: ['/a', '/b', '/c'] })
    .add(`${site}/a`)
    .add(`${site}/b`, { status: 404 })
    .add(`${site}/robots.txt`, { status: 404 });
  gateway.host.answerPage = made.answer;
  const start = async (more: object = {}) =>
    /cr_\w+/.exec(await agent.use('start_crawl', { url: `${site}/`, exclude: [`${site}/c`], ...more }))?.[0];
  const crawl = await start();
  await expect
    .poll(() => agent.use('read_crawl', { crawl }), { timeout: 20_000 })
    .toContain(`Crawl ${crawl}: done. 2 of 3 pages loaded, 1 failed, 0 skipped.`);
  const whole = await agent.use('read_crawl', { crawl });
  expect(whole).toContain(`## ${site}/\nHTTP status 200: Title of ${site}/\n\n# ${site}/`);
  expect(whole).toContain(`## ${site}/b\nPAGE_HTTP_404: `);
  expect(whole).toMatch(/These were all pages\.$/);
  const first = await agent.use('read_crawl', { crawl, limit: 1, maxChars: 0 });
  expect(first).toMatch(/Title of https:\/\/site\.test\/\n\nRead on with cursor 1\.$/);
  expect(await agent.use('read_crawl', { crawl, cursor: '1' })).not.toContain(`## ${site}/\n`);

  const loading = Promise.withResolvers<void>();
  made.onLoad = () => loading.promise;
  const other = await start();
  expect(await agent.use('cancel_crawl', { crawl: other })).toContain(`Crawl ${other}: cancelled.`);
  loading.resolve();
  expect(await agent.refused('read_crawl', { crawl: 'cr_none' })).toContain('NOT_FOUND');
  await expect.poll(async () => (await account.get('/api/browsers')).json).toEqual([]);
});
