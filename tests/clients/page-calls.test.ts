import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import { PageError, SessionNotFoundError, Turnpike } from 'turnpike-client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MadeUpSite } from '../fixtures/crawl/made-up-site.ts';
import { startGatewayOn, type TestAccount, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

/** Page calls of the Node client. */

watchLeaks();

const url = 'https://example.com/';

describe('page calls', () => {
  let gateway: TestGateway;
  let account: TestAccount;
  let turnpike: Turnpike;
  beforeEach(async () => {
    gateway = await startGatewayOn('sqlite');
    account = await gateway.account();
    turnpike = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
  });
  afterEach(() => gateway[Symbol.asyncDispose]());

  const answer = (more: object) => {
    const answered = gateway.host.answerPage;
    gateway.host.answerPage = async (call: PageCall) =>
      ({ ...(await answered(call)), ...more }) as PageAnswer;
  };

  test('options go out under their names, and the answer is bytes with what is known of the page', async () => {
    answer({ type: 'image/png', body: Buffer.from([137, 80, 78, 71]) });
    const shot = await turnpike.page.screenshot({
      url,
      proxy: account.proxy,
      os: 'macos',
      closeOnDisconnect: 5,
      screenshotOptions: { fullPage: true },
      gotoOptions: { waitUntil: ['load', 'networkidle2'] },
    });
    const [called] = gateway.host.pageCalls;
    expect(called).toMatchObject({
      formats: ['screenshot'],
      parameters: { url, screenshotOptions: { fullPage: true } },
    });
    expect(called?.parameters).not.toHaveProperty('proxy');
    const { sessionId = '' } = called ?? {};
    expect(shot).toEqual({
      sessionId,
      status: 200,
      url,
      browserMs: 1,
      contentType: 'image/png',
      data: new Uint8Array([137, 80, 78, 71]),
    });
    expect((await turnpike.status(sessionId)).browserParams).toMatchObject({
      os: 'macos',
      close_on_disconnect: 5,
    });
  });

  test('text is read in its charset, JSON by format, and a download has its name', async () => {
    answer({ type: 'text/html; charset=iso-8859-1', body: Buffer.from('na\xefve', 'latin1') });
    expect((await turnpike.page.content({ url, proxy: account.proxy })).text).toBe('naïve');
    answer({ type: 'application/zip', body: Buffer.from('PK'), fileName: 'a ü.zip' });
    expect(await turnpike.page.pdf({ url, proxy: account.proxy })).toMatchObject({ fileName: 'a ü.zip' });
    answer({
      type: 'application/json',
      body: Buffer.from('{"markdown":"# A","links":["b"]}'),
      fileName: undefined,
    });
    const { page, results } = await turnpike.page.read({
      url,
      proxy: account.proxy,
      formats: ['markdown', 'links'],
    });
    expect([page.url, results.markdown, results.links]).toEqual([url, '# A', ['b']]);
  });

  test('a page that does not load is a PageError with its code, its report and its session', async () => {
    const error = { code: 'PAGE_HTTP_403', message: 'The page answered with status 403.' } as const;
    answer({ error });
    const failed = await turnpike.page.markdown({ url, proxy: account.proxy }).catch((reason) => reason);
    expect(failed).toBeInstanceOf(PageError);
    expect(failed).toMatchObject({
      ...error,
      statusCode: 422,
      page: { url },
      sessionId: expect.stringMatching(/^br_/),
    });
    expect(gateway.host.pageCalls).toHaveLength(1);
  });

  test('page calls are turned off and on, and the model endpoint is set, read and deleted', async () => {
    expect(await turnpike.changeSettings({ pageCalls: false })).toEqual({ pageCalls: false });
    const refused = await turnpike.page.markdown({ url, proxy: account.proxy }).catch((reason) => reason);
    expect(refused).toMatchObject({ statusCode: 403, code: 'PAGE_CALLS_OFF' });
    await turnpike.changeSettings({ pageCalls: true });
    expect(await turnpike.getSettings()).toEqual({ pageCalls: true });
    const endpoint = { url: 'https://models.example/v1', model: 'some' };
    expect(await turnpike.setModel({ ...endpoint, key: 'k' })).toMatchObject(endpoint);
    expect(await turnpike.getModel()).toMatchObject(endpoint);
    await turnpike.deleteModel();
    await expect(turnpike.getModel()).rejects.toMatchObject({ statusCode: 404, code: 'NO_MODEL' });
  });

  test('a call on a session reads its page, and a session that is not there is told', async () => {
    const { browserId } = await turnpike.create({ proxy: account.proxy });
    expect(await turnpike.page.markdown({ sessionId: browserId })).toMatchObject({ sessionId: browserId });
    expect((await turnpike.status(browserId)).status).toBe('ACTIVE');
    await expect(turnpike.page.markdown({ sessionId: 'br_none' })).rejects.toThrow(SessionNotFoundError);
  });
});

test('a crawl is started, followed to its end, and listed; another is cancelled', async () => {
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  const turnpike = new Turnpike({ endpoint: gateway.url, apiKey: account.key });
  const site = new MadeUpSite().add('https://site.test/', { links: ['/a'] }).add('https://site.test/a');
  gateway.host.answerPage = site.answer;
  const options = {
    proxy: account.proxy,
    url: 'https://site.test/',
    robots: false,
    sitemap: 'skip',
  } as const;
  const { id } = await turnpike.crawl.start({ ...options, maxLifetime: 300, formats: ['markdown'] });
  const pages = await Array.fromAsync(turnpike.crawl.pages(id));
  expect(pages.map(({ url }) => url).toSorted()).toEqual(['https://site.test/', 'https://site.test/a']);
  const seen: number[] = [];
  const ended = await turnpike.crawl.wait(id, { onProgress: ({ pages }) => seen.push(pages.done) });
  expect([ended.state, seen]).toEqual(['done', [2]]);
  const other = await turnpike.crawl.start({ ...options, idempotencyKey: 'other' });
  expect((await turnpike.crawl.start({ ...options, idempotencyKey: 'other' })).id).toBe(other.id);
  await turnpike.crawl.cancel(other.id, { deleteResults: true });
  expect((await Array.fromAsync(turnpike.crawl.list())).map((crawl) => crawl.id)).toEqual([id]);
});

describe('page calls to a server that answers what it is told', () => {
  const failed = { 'content-type': 'application/json' };
  const page = { 'x-session-id': 'br_1', 'x-page-url': url, 'content-type': 'text/markdown' };

  /** A server that answers in this order, and the keys that it was asked with. */
  async function scripted(...script: [status: number, headers: Record<string, string>, body: string][]) {
    const keys: unknown[] = [];
    const bodies: unknown[] = [];
    const server = createServer(async (request, response) => {
      keys.push(request.headers['idempotency-key']);
      bodies.push(JSON.parse(await text(request)));
      const [status, headers, body] = script.shift() ?? [500, {}, ''];
      response.writeHead(status, headers).end(body);
    });
    await listen(server);
    const { port } = server.address() as { port: number };
    return {
      keys,
      bodies,
      turnpike: new Turnpike({ endpoint: `http://127.0.0.1:${port}`, apiKey: 'key' }),
      [Symbol.asyncDispose]: () => closeServer(server),
    };
  }

  test('repeats have the same key, and wait for a call that is under way', async () => {
    const conflict = '{"error":"under way","code":"CONFLICT"}';
    await using server = await scripted([503, {}, ''], [409, failed, conflict], [200, page, '# A']);
    expect((await server.turnpike.page.markdown({ url })).text).toBe('# A');
    expect(server.keys).toHaveLength(3);
    expect(new Set(server.keys).size).toBe(1);
  });

  test('repeats tell the first error, if the call has ended without an answer', async () => {
    const lost = '{"error":"The session ended before the page was read."}';
    const ended = '{"error":"Session is CLOSED","code":"SESSION_ENDED"}';
    await using server = await scripted([502, failed, lost], [410, failed, ended]);
    await expect(server.turnpike.page.markdown({ url })).rejects.toMatchObject({ statusCode: 502 });
  });

  test('JSON by a model is asked for with its schema', async () => {
    const json = '{"sessionId":"br_1","page":{},"results":{"json":{"title":"A"}}}';
    await using server = await scripted([200, page, json]);
    const schema = { type: 'object' };
    const { results } = await server.turnpike.page.json({ url, schema, prompt: 'The title' });
    expect(results.json).toEqual({ title: 'A' });
    expect(server.bodies).toEqual([{ url, schema, prompt: 'The title' }]);
  });

  test('JSON of a download says that it is one', async () => {
    const file = { ...page, 'content-disposition': "attachment; filename*=UTF-8''a.zip" };
    await using server = await scripted([200, file, 'PK']);
    await expect(server.turnpike.page.links({ url })).rejects.toThrow('is a download');
  });

  test('a call on a session is not repeated', async () => {
    await using server = await scripted([503, {}, ''], [200, page, '']);
    await expect(server.turnpike.page.pdf({ sessionId: 'br_1' })).rejects.toMatchObject({ statusCode: 503 });
    expect(server.keys).toEqual([undefined]);
  });
});
