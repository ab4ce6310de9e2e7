import { HostError } from '@turnpike/contract/host';
import { expect, test } from 'vitest';
import { startPostgres } from '../fixtures/database/postgres.ts';
import { call, startGatewayOn, startTestGateway, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { sample as sampleIn } from '../fixtures/service/metrics.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickOn } from '../fixtures/suite/matrix.ts';

watchLeaks();

const sample = ({ observation }: TestGateway, series: string) => sampleIn(observation, series);

describeEach(quickOn('sqlite'))('metrics of a gateway on %s', (engine) => {
  test('requests are counted by route pattern and status, creates by outcome and code, and the store is timed', async () => {
    await using gateway = await startGatewayOn(engine);
    const account = await gateway.account({ concurrent_limit: 2 });
    const opened = await account.create();
    const { browserId } = opened.json;
    await account.get(`/api/browser/${browserId}/status`);
    await account.get('/nowhere/tp_live_secret');
    await account.create({ proxy: '' });
    gateway.host.onOpen = async () => {
      throw new HostError('PROXY_UNREACHABLE', 'it does not answer');
    };
    await account.create();
    gateway.host.onOpen = async () => {
      throw new Error('no such luck');
    };
    await account.connect();
    gateway.host.onOpen = async () => {};
    await account.create();
    await account.create();

    const requests = (labels: string) =>
      sample(gateway, `turnpike_gateway_request_duration_seconds_count{${labels}}`);
    expect(await requests('method="POST",route="/api/browser/create",status="200"')).toBe(2);
    expect(await requests('method="GET",route="/api/browser/:id/status",status="200"')).toBe(1);
    expect(await requests('method="GET",route="(none)",status="404"')).toBe(1);
    const creates = (outcome: string, code: string) =>
      sample(gateway, `turnpike_gateway_create_duration_seconds_count{outcome="${outcome}",code="${code}"}`);
    expect(await creates('opened', '')).toBe(2);
    expect(await creates('refused', 'PROXY_REQUIRED')).toBe(1);
    expect(await creates('refused', 'PROXY_UNREACHABLE')).toBe(1);
    expect(await creates('refused', 'CONCURRENCY_LIMIT')).toBe(1);
    expect(await creates('failed', '502')).toBe(1);
    for (const operation of ['select', 'update', 'insert', 'begin', 'commit']) {
      const series = `turnpike_gateway_store_duration_seconds_count{operation="${operation}"}`;
      expect(await sample(gateway, series), operation).toBeGreaterThan(0);
    }
    expect(await sample(gateway, 'turnpike_gateway_sessions{state="ACTIVE"}')).toBe(2);
    expect(await sample(gateway, 'turnpike_gateway_store_up')).toBe(1);
    expect(await sample(gateway, 'turnpike_gateway_creates_waiting')).toBe(0);
    await gateway.running.leases.tick();
    expect(await sample(gateway, 'turnpike_gateway_host_seats{host="stand-in"}')).toBe(gateway.host.places);
    expect(await sample(gateway, 'turnpike_gateway_host_seats_taken{host="stand-in"}')).toBe(2);
    await account.close(browserId);
    await account.close(browserId);
    const ended = 'turnpike_gateway_sessions_ended_total{status="CLOSED",reason="client_close"}';
    expect(await sample(gateway, ended)).toBe(1);
    expect(
      await sample(gateway, 'turnpike_gateway_host_heartbeat_age_seconds{host="stand-in"}'),
    ).toBeLessThan(10);

    const text = await gateway.observation.registry.metrics();
    for (const secret of [account.key, account.id, browserId, 'tp_live_secret', '198.51.100.7']) {
      expect(text).not.toContain(secret);
    }
  });

  test('the reaper and lost hosts show', async () => {
    await using gateway = await startGatewayOn(engine, { createTimeoutMs: 1000 });
    const account = await gateway.account();
    const { browserId } = (await account.create()).json;
    await gateway.running.leases.tick();
    expect(await sample(gateway, 'turnpike_gateway_lease_events_total{event="heartbeat"}')).toBeGreaterThan(
      0,
    );
    gateway.clock.advance(60_000);
    expect(
      await sample(gateway, 'turnpike_gateway_host_heartbeat_age_seconds{host="stand-in"}'),
    ).toBeGreaterThan(50);
    gateway.host.lose(browserId);
    await gateway.running.leases.tick();
    expect(await sample(gateway, 'turnpike_gateway_lease_events_total{event="session_missing"}')).toBe(1);
    expect(
      await sample(gateway, 'turnpike_gateway_host_heartbeat_age_seconds{host="stand-in"}'),
    ).toBeLessThan(10);
  });
});

test('two gateways in one process count apart', async () => {
  await using one = await startGatewayOn('sqlite', { hostName: 'one' });
  await using other = await startTestGateway(one.location, { hostName: 'other' });
  await call(`${one.url}/health`);
  const series = 'turnpike_gateway_request_duration_seconds_count{method="GET",route="/health",status="200"}';
  expect([await sample(one, series), await sample(other, series)]).toEqual([1, undefined]);
});

test('/health/ready needs no key; it is 503 while the store is away, and /health is not', async () => {
  await using postgres = await startPostgres();
  await using gateway = await startTestGateway({
    engine: 'postgres',
    url: await postgres.createDatabase(),
  });
  const ready = () => call(`${gateway.url}/health/ready`);
  expect(await ready()).toMatchObject({ status: 200, json: { status: 'ready' } });
  await postgres.stop();
  expect(await ready()).toMatchObject({ status: 503, json: { status: 'store unavailable' } });
  expect(await call(`${gateway.url}/health`)).toMatchObject({ status: 200, json: { status: 'healthy' } });
  expect(await sample(gateway, 'turnpike_gateway_store_up')).toBe(0);
  await postgres.start();
  await expect.poll(async () => (await ready()).status).toBe(200);
});

test('a gateway that drains says so to load balancers, and serves until its delay is over', async () => {
  await using gateway = await startGatewayOn('sqlite', { drainDelayMs: 500 });
  const account = await gateway.account();
  const drained = gateway.running.drain();
  expect(await call(`${gateway.url}/health/ready`)).toMatchObject({
    status: 503,
    json: { status: 'draining' },
  });
  expect((await account.create()).status).toBe(200);
  await drained;
  await expect(call(`${gateway.url}/health/ready`)).rejects.toThrow();
});
