// @module-tag slow

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { goProgram, NotAtHand } from '../real-clients/installed.ts';
import { documents, knownSettings, read, root, workloads } from './files.ts';

watchLeaks();

/** Helm's own engine and linter, and the types of Kubernetes' API: see chart-checker/main.go. */
let checker: string | undefined;
let reason = '';
beforeAll(async () => {
  try {
    checker = await goProgram('chart-checker', 'helm.sh/helm/v3', 'v3.22.0', join(root, 'tests/deploy'));
  } catch (error) {
    if (!(error instanceof NotAtHand)) throw error;
    reason = error.message;
    console.warn(`skipped: ${reason}`);
  }
});

async function render(values: object): Promise<any[]> {
  await using scratch = await scratchDirectory('chart');
  const file = join(scratch.path, 'values.yaml');
  await writeFile(file, stringify(values));
  const args = [join(root, 'deploy/helm/turnpike'), 'turnpike', 'browsers', file];
  const { stdout } = await promisify(execFile)(checker ?? '', args, { maxBuffer: 2 ** 24 });
  return documents(stdout);
}

/** No more than an installation must have. */
const least = {
  secrets: { existingSecret: 'turnpike' },
  gateway: { hostname: 'turnpike.example.com' },
  browserRouter: { domain: 'browsers.example.com' },
};

/** Everything that can be said, said otherwise. */
const most = {
  image: { registry: 'registry.example.com/turnpike', tag: '9.9.9', pullSecrets: ['pull'] },
  secrets: {
    databaseUrl: 'postgres://turnpike:secret@db/turnpike',
    secretKey: '0'.repeat(64),
    clusterSecret: '1'.repeat(64),
  },
  gateway: {
    hostname: 'turnpike.example.com',
    ingress: { className: 'nginx', annotations: { 'example.com/a': 'b' } },
    env: { TURNPIKE_LOG_LEVEL: 'debug', TURNPIKE_CREATE_TIMEOUT: 40 },
  },
  hosts: {
    regions: [
      { name: 'eu', min: 1, max: 5 },
      { name: 'us', min: 3, max: 9, nodeSelector: { disk: 'fast' } },
    ],
    autoscaling: { enabled: false },
    drainSeconds: 600,
  },
  browserRouter: { domain: 'browsers.example.com', service: { type: 'ClusterIP', annotations: { a: 'b' } } },
  proxy: { publicUrl: 'http://proxy.example.com:8082', service: { type: 'NodePort' } },
  recordings: { url: 's3://bucket/prefix', secret: 'recordings' },
  clusterTls: { secret: 'cluster-tls' },
};

/** As little as it can be. */
const small = {
  ...least,
  gateway: { ...least.gateway, ingress: { enabled: false } },
  browserRouter: { ...least.browserRouter, enabled: false },
  proxy: { enabled: false },
  metrics: { enabled: false },
  networkPolicy: { enabled: false },
};

test.for([
  ['least', least],
  ['most', most],
  ['small', small],
] as const)(
  'the objects of the %s values are what the API takes, and refer to each other',
  async ([, values], { skip }) => {
    skip(!checker, reason);
    const objects = await render(values);
    const pods = workloads(objects);
    const byLabels = (labels: Record<string, string>) =>
      pods.filter((pod) => Object.entries(labels).every(([name, value]) => pod.labels[name] === value));
    const portsOf = (labels: Record<string, string>) =>
      byLabels(labels).flatMap(({ spec }) => spec.containers.flatMap(({ ports }: any) => ports));
    for (const { kind, metadata, spec } of objects) {
      if (kind === 'HorizontalPodAutoscaler')
        expect(pods).toContainEqual(
          expect.objectContaining({ kind: spec.scaleTargetRef.kind, name: spec.scaleTargetRef.name }),
        );
      if (kind === 'PodDisruptionBudget') expect(byLabels(spec.selector.matchLabels)).toHaveLength(1);
      if (kind === 'StatefulSet')
        expect(objects).toContainEqual(
          expect.objectContaining({
            kind: 'Service',
            metadata: expect.objectContaining({ name: spec.serviceName }),
          }),
        );
      if (kind === 'Service')
        for (const { port, targetPort = port } of spec.ports) {
          const known = portsOf(spec.selector).flatMap(({ name, containerPort }) => [name, containerPort]);
          expect(known, metadata.name).toContain(targetPort);
        }
      if (kind === 'NetworkPolicy')
        for (const { ports } of spec.ingress)
          for (const { port } of ports)
            expect(portsOf(spec.podSelector.matchLabels).map(({ name }) => name)).toContain(port);
    }
  },
);

test('every setting in the chart is one that a part reads, and secrets come from the secret', async ({
  skip,
}) => {
  skip(!checker, reason);
  const env = workloads(await render(most))
    .flatMap(({ spec }) => spec.containers)
    .flatMap((container: any) => container.env ?? []);
  const known = knownSettings();
  const names = new Set<string>(env.map(({ name }: any) => name));
  names.delete('POD_NAME');
  expect([...names].filter((name) => !known.has(name))).toEqual([]);
  expect(names.size).toBeGreaterThan(20);
  for (const { name, value } of env)
    if (['TURNPIKE_SECRET_KEY', 'TURNPIKE_CLUSTER_SECRET', 'DATABASE_URL'].includes(name))
      expect(value).toBeUndefined();
});

test('no part gets variables of services, which are named like settings', async ({ skip }) => {
  skip(!checker, reason);
  const parts = workloads(await render(most)).filter(({ name }) => !name.includes('browser'));
  expect(parts.length).toBeGreaterThan(3);
  expect(parts.filter(({ spec }) => spec.enableServiceLinks !== false)).toEqual([]);
});

test('a host has the privileges of the compose file, and the time to let its sessions live out', async ({
  skip,
}) => {
  skip(!checker, reason);
  const hosts = workloads(await render(most)).filter(({ kind }) => kind === 'StatefulSet');
  expect(hosts.map(({ name }) => name)).toEqual(['turnpike-host-eu', 'turnpike-host-us']);
  const [compose] = documents(read('deploy/compose/compose.yaml'));
  for (const { spec } of hosts) {
    const [{ env, securityContext }] = spec.containers;
    expect(securityContext.capabilities).toEqual({
      drop: ['ALL'],
      add: compose.services['host-1'].cap_add,
    });
    expect(securityContext.privileged).toBeUndefined();
    expect(spec).toMatchObject({ hostUsers: false, automountServiceAccountToken: false });
    expect(spec).not.toHaveProperty('hostNetwork');
    const drain = env.find(({ name }: any) => name === 'TURNPIKE_HOST_DRAIN_SECONDS').value;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(drain) + 30);
  }
});

test('an installation without a required value says which', async ({ skip }) => {
  skip(!checker, reason);
  const without = (values: object) => render(values).catch(({ stderr }) => stderr);
  expect(await without({ ...least, gateway: {} })).toContain('gateway.hostname is required');
  expect(await without({ ...least, browserRouter: {} })).toContain('browserRouter.domain is required');
  expect(await without({ ...least, secrets: {} })).toContain('secrets.databaseUrl is required');
});
