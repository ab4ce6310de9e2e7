import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startObservation } from '@turnpike/process/observation';
import { expect, test, vi } from 'vitest';
import { sharedDatabase } from '../fixtures/database/shared-database.ts';
import { accountCalls, call } from '../fixtures/gateway/gateway.ts';
import { startSocks } from '../fixtures/network/socks.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../fixtures/receivers/otlp-receiver.ts';
import { openClusterStore, startClusterGateway, startClusterHost } from '../fixtures/service/cluster.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

/** Several processes, on a machine that other tests use. */

const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

test("a create is one tree, part of its caller's trace: from authentication through placement to the host's steps", async () => {
  await using receiver = await startOtlpReceiver();
  await using service = await startService({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
  });
  const account = await service.account();
  const query = new URLSearchParams({ proxy: account.proxy, headless: 'true', token: account.key });
  const opened = await call(`${service.gatewayUrl}/connect?${query}`, {
    headers: { traceparent: `00-${caller.traceId}-${caller.spanId}-01` },
  });
  expect(opened.status).toBe(200);
  const root = await received(receiver, 'GET /connect');
  expect(root).toMatchObject({ ...caller, spanId: root.spanId, parentSpanId: caller.spanId });
  expect(root.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/connect',
    'http.response.status_code': 200,
    'turnpike.session.id': opened.headers.get('x-session-id'),
  });
  expect(root.resource['service.name']).toBe('turnpike');
  expect(tree(receiver.spans, root)).toEqual({
    'GET /connect': {
      authenticate: {},
      admit: {},
      'resolve proxy': {},
      place: { 'open browser': { 'check proxy': {}, 'start cold browser': {}, 'apply profile': {} } },
      activate: {},
    },
  });
  for (const span of receiver.spans) {
    expect(span.traceId).toBe(caller.traceId);
    const parent = receiver.spans.find(({ spanId }) => spanId === span.parentSpanId);
    if (!parent) continue;
    expect(span.startMs).toBeGreaterThanOrEqual(parent.startMs - 1);
    expect(span.endMs).toBeLessThanOrEqual(parent.endMs + 1);
  }
  expect(receiver.spans.find(({ name }) => name === 'open browser')?.attributes).toMatchObject({
    'turnpike.warm': false,
    'turnpike.viewer': false,
  });

  const refused = await account.create({ proxy: 'http://user:hunter2@127.0.0.1:1' });
  expect(refused.status).toBe(422);
  const failed = await received(receiver, 'POST /api/browser/create');
  expect(failed.attributes['http.response.status_code']).toBe(422);
  const step = receiver.spans.find(
    ({ name, traceId }) => name === 'check proxy' && traceId === failed.traceId,
  );
  expect(step?.attributes['error.type']).toBe('PROXY_UNREACHABLE');

  const cdpId = opened.text.split('/').at(-1) ?? '';
  for (const secret of [account.key, account.id, account.proxyPassword, cdpId, 'hunter2']) {
    expect(receiver.text()).not.toContain(secret);
  }
});

test('a host in another process goes on with the trace', { tags: 'slow' }, async () => {
  await using receiver = await startOtlpReceiver();
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
  await using socks = await startSocks();
  await using database = await sharedDatabase();
  await using store = await openClusterStore(database.url);
  await using gateway = await startClusterGateway(database.url, {
    ...traced,
    OTEL_SERVICE_NAME: 'the-gateway',
  });
  await using _host = await startClusterHost('host-1', [gateway], {
    ...traced,
    OTEL_SERVICE_NAME: 'the-host',
  });
  await store.hostsTakeWork(1);
  const account = accountCalls(gateway.url, await store.account(), `socks5://${socks.url}`);
  const opened = await account.create({ headless: true });
  expect(opened.status).toBe(200);
  const root = await received(receiver, 'POST /api/browser/create');
  const remote = await received(receiver, 'open browser');
  expect(root).toMatchObject({ attributes: { 'turnpike.host': 'host-1' } });
  expect([root, remote].map(({ resource }) => resource['service.name'])).toEqual(['the-gateway', 'the-host']);
  expect(tree(receiver.spans, root)['POST /api/browser/create']?.['place']).toEqual({
    'open browser': { 'check proxy': {}, 'start cold browser': {}, 'apply profile': {} },
  });
  await account.close(opened.json.browserId);
});

test('where nobody asks for traces OpenTelemetry is not loaded, and nobody is served metrics', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { startObservation } = await import(${JSON.stringify(join(import.meta.dirname, '../../packages/process/src/observation.ts'))});
    const observation = await startObservation(process.env);
    console.log(JSON.stringify({ url: observation.metricsUrl, sdk: loaded.some((url) => url.includes('/sdk-trace/')) }));
    await observation[Symbol.asyncDispose]();
  `;
  const run = async (env: Record<string, string>) => {
    const args = ['--input-type=module', '--no-warnings', '-e', program];
    return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout);
  };
  expect(await run({})).toEqual({ sdk: false });
  expect(await run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' })).toEqual(
    { sdk: false },
  );
  expect(await run({ OTEL_TRACES_EXPORTER: 'otlp', TURNPIKE_METRICS_PORT: '0' })).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/),
    sdk: true,
  });
  await expect(run({ OTEL_TRACES_EXPORTER: 'zipkin' })).rejects.toThrow(
    'OTEL_TRACES_EXPORTER must be otlp or none',
  );
});

test('a collector that is away is nothing to those who use the service, and holds its end up for moments only', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '500');
  const observation = await startObservation(process.env);
  vi.unstubAllEnvs();
  const span = observation.tracer.begin('a request', undefined);
  expect(await span.step('a step', async () => 'done')).toBe('done');
  span.end();
  const stopping = performance.now();
  await observation[Symbol.asyncDispose]();
  expect(performance.now() - stopping).toBeLessThan(5000);
});

/** The last step to end is a request's own, and the batch that has it may be the second. */
async function received({ spans }: OtlpReceiver, name: string): Promise<ReceivedSpan> {
  const find = () => spans.find((span) => span.name === name);
  await expect.poll(find).toBeDefined();
  return find() as ReceivedSpan;
}

type Tree = { [name: string]: Tree };

function tree(spans: readonly ReceivedSpan[], root: ReceivedSpan): Tree {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
  return { [root.name]: Object.assign({}, ...children.map((child) => tree(spans, child))) };
}
