import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { type Prometheus, startPrometheus } from '../fixtures/receivers/prometheus.ts';
import { startService } from '../fixtures/service/service.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

/** Several processes, on a machine that other tests use. */

const directory = join(import.meta.dirname, '../../deploy/monitoring');
const ruleFile = join(directory, 'turnpike-alerts.yml');
const run = promisify(execFile);

/** Names of ours and of the process's own in an expression. */
const metricNames = (expression: string): string[] =>
  expression.match(/\b(?:turnpike|nodejs|process)_[a-z0-9_]+\b/g) ?? [];

function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync(join(directory, 'turnpike-dashboard.json'), 'utf8'));
  return panels.flatMap(({ targets = [] }: any) => targets.map(({ expr }: any) => expr));
}

test('promtool takes the alert rules and the example, and each alert fires when it should and only then', async () => {
  await run('promtool', ['check', 'rules', ruleFile]);
  await run('promtool', ['check', 'config', join(directory, 'prometheus.yml')]);
  const { stdout } = await run('promtool', ['test', 'rules', join(directory, 'turnpike-alerts.test.yml')]);
  expect(stdout).toContain('SUCCESS');
  const rules = readFileSync(ruleFile, 'utf8').match(/(?<=alert: )\w+/g) ?? [];
  const tested = readFileSync(join(directory, 'turnpike-alerts.test.yml'), 'utf8');
  // Once where it is quiet, once where it fires.
  for (const rule of rules) expect([rule, tested.split(`alertname: ${rule}`).length - 1]).toEqual([rule, 2]);
});

test('a service counts a session and its client, and has every metric of the dashboard and the alerts', async () => {
  await using service = await sharedService();
  const account = await service.account();
  const read = async () => (await fetch(service.metricsUrl)).text();
  const opened = await account.create({ headless: true });
  expect(opened.status).toBe(200);
  const socket = new WebSocket(opened.json.cdpUrl);
  await once(socket, 'open');
  const text = await read();
  expect(text).toMatch(/^turnpike_host_sockets\{kind="cdp"\} 1$/m);
  expect(text).toMatch(/^turnpike_host_sessions\{host="[^"]+"\} 1$/m);
  expect(text).toMatch(/^turnpike_gateway_sessions\{state="ACTIVE"\} 1$/m);
  expectNoSecrets(text, account, opened.json.browserId);
  expect(text).toContain(`turnpike_host_session_work_seconds{session="${opened.json.browserId}"}`);
  await account.close(opened.json.browserId);
  await expect.poll(read).toMatch(/^turnpike_host_sockets\{kind="cdp"\} 0$/m);
  await account.create({ proxy: 'http://127.0.0.1:1' });

  const known = new Set((await read()).match(/^\w+/gm));
  const { groups } = parse(readFileSync(ruleFile, 'utf8'));
  const alerts = groups.flatMap(({ rules }: any) => rules.map(({ expr }: any) => expr));
  expectEveryMetric(known, alerts);
  expect((await fetch(new URL('/', service.metricsUrl))).status).toBe(404);
});

test('a real Prometheus finds a create and a close, and every metric of the dashboard and the alerts', {
  tags: 'slow',
}, async () => {
  const env = {
    TURNPIKE_METRICS_PORT: '0',
    TURNPIKE_HOST_NAME: 'host-1',
    TURNPIKE_HOST_WARM_HEADLESS: '1',
  };
  await using service = await startService({ env });
  await using prometheus = await startPrometheus(service.metricsUrl, ruleFile);
  const account = await service.account();
  const opened = await account.create({ headless: true });
  expect(opened.status).toBe(200);
  const socket = new WebSocket(opened.json.cdpUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  await eventually(prometheus, 'turnpike_host_sockets{kind="cdp"}', 1);
  await eventually(prometheus, 'turnpike_host_sessions{host="host-1"}', 1);
  await eventually(prometheus, 'turnpike_gateway_sessions{state="ACTIVE"}', 1);
  await eventually(prometheus, 'turnpike_host_seats_taken / turnpike_host_seats > bool 0', 1);
  await account.close(opened.json.browserId);
  await account.create({ proxy: 'http://127.0.0.1:1' });

  await eventually(prometheus, 'turnpike_host_sockets{kind="cdp"}', 0);
  await eventually(prometheus, 'turnpike_host_sessions_ended_total{cause="closed"}', 1);
  await eventually(prometheus, 'sum(turnpike_host_open_duration_seconds_count)', 1);
  await eventually(prometheus, 'turnpike_gateway_create_duration_seconds_count{outcome="opened",code=""}', 1);
  await eventually(
    prometheus,
    'turnpike_gateway_create_duration_seconds_count{outcome="refused",code="PROXY_UNREACHABLE"}',
    1,
  );
  await eventually(
    prometheus,
    'sum(turnpike_gateway_request_duration_seconds_count{method="POST",route="/api/browser/close",status="200"})',
    1,
  );

  const known = new Set<string>(await prometheus.get('label/__name__/values'));
  const { groups } = await prometheus.get('rules?type=alert');
  const rules = groups.flatMap((group: any) => group.rules);
  expect(rules.filter(({ health }: any) => health === 'err')).toEqual([]);
  expectEveryMetric(
    known,
    rules.map(({ query }: any) => query),
  );
  // The dashboard's own variable apart, each of its expressions is one that Prometheus takes.
  for (const expression of dashboardExpressions()) {
    await prometheus.query(expression.replaceAll('$__rate_interval', '1m'));
  }

  const text = await (await fetch(service.metricsUrl)).text();
  expectNoSecrets(text, account, opened.json.browserId);
});

/** Expects every metric of the dashboard and of these alerts' expressions. */
function expectEveryMetric(known: ReadonlySet<string>, alerts: string[]): void {
  const used = [...dashboardExpressions(), ...alerts].flatMap(metricNames);
  expect(used.length).toBeGreaterThan(40);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
}

function expectNoSecrets(text: string, { key, id, proxyUser }: TestAccount, browserId: string): void {
  const withoutWork = text.replaceAll(/^turnpike_host_(?:account|session)_work_seconds.*$/gm, '');
  for (const secret of [key, id, proxyUser, browserId]) expect(withoutWork).not.toContain(secret);
  expect(text).toContain(`turnpike_host_account_work_seconds_total{account="${id}"}`);
}

/** Prometheus asks once a second. */
async function eventually(prometheus: Prometheus, expression: string, value: number): Promise<void> {
  const values = async () => (await prometheus.query(expression)).map((series) => series.value);
  await expect.poll(values, { interval: 250, message: expression }).toEqual([value]);
}
