import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountCalls } from '../fixtures/gateway.ts';
import { watchLeaks } from '../fixtures/leaks.ts';
import { startService } from '../fixtures/service.ts';
import { documents, filesOf, instructions, manifests, read, root, workloads } from './files.ts';

watchLeaks();

const dockerfiles = filesOf('deploy/docker/*.Dockerfile');
const compose = documents('deploy/compose/compose.yaml')[0];
const ours = (image: string) => image.startsWith('turnpike/');

/** Settings that some config reads. */
const settings = new Set(
  filesOf('{apps,packages}/*/src/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) =>
      Array.from(read(path).matchAll(/'(TURNPIKE_[A-Z_]+|DATABASE_URL)'/g), ([, name]) => name),
    ),
);

test('every setting in the deployment files is one that a part reads', () => {
  const named = [
    ...dockerfiles.flatMap((path) =>
      instructions(path)
        .filter(({ name }) => name === 'ENV')
        .flatMap(({ words }) => words.map((word) => word.split('=')[0])),
    ),
    ...Object.values<any>(compose.services)
      .filter(({ image }) => ours(image))
      .flatMap(({ environment }) => Object.keys(environment)),
    ...workloads()
      .flatMap(({ spec }) => spec.containers)
      .filter(({ image }) => ours(image))
      .flatMap(({ env }) => env.map(({ name }: { name: string }) => name)),
  ];
  const known = new Set([...settings, 'NODE_ENV', 'POD_NAME']);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(new Set(named).size).toBeGreaterThan(20);
});

test('every file that an image copies is there, and is not kept from it', () => {
  const ignored = read('.dockerignore')
    .split('\n')
    .filter((line) => /^[a-z]/.test(line));
  const sources = dockerfiles.flatMap((path) =>
    instructions(path)
      .filter(({ name, words }) => name === 'COPY' && !words[0]?.startsWith('--from'))
      .flatMap(({ words }) => words.slice(0, -1)),
  );
  for (const source of sources) {
    expect(existsSync(join(root, source)), source).toBe(true);
    expect(ignored).not.toContain(source.split('/')[0]);
  }
  const workspaces = filesOf('{apps,packages}/*/package.json');
  expect(sources.filter((source) => source.endsWith('/package.json')).toSorted()).toEqual(workspaces);
});

test('every part is built on the one base, runs a command of ours, and only the host as root', () => {
  for (const part of ['gateway', 'host', 'proxy']) {
    const steps = instructions(`deploy/docker/${part}.Dockerfile`);
    const words = (wanted: string) => steps.findLast(({ name }) => name === wanted)?.words.join(' ');
    expect(words('FROM')).toBe(`\${BASE}`);
    expect(words('CMD')).toBe(`["${part}"]`);
    expect(words('USER')).toBe(part === 'host' ? 'root' : undefined);
  }
  const user = instructions('deploy/docker/base.Dockerfile').findLast(({ name }) => name === 'USER');
  expect(user?.words).toEqual(['1000:1000']);
});

test('the host image has the Debian packages that scripts/setup installs', () => {
  const [, runtime = ''] = /missing_packages\(\) \{([^}]*?)\$dev \|\|/s.exec(read('scripts/setup')) ?? [];
  const needed = Array.from(runtime.matchAll(/echo (\S+)/g), ([, name = '']) => name);
  expect(needed).toContain('chromium');
  const run = instructions('deploy/docker/host.Dockerfile').find(({ name }) => name === 'RUN')?.words ?? [];
  const installed = run.slice(run.indexOf('--no-install-recommends') + 1, run.lastIndexOf('&&'));
  expect(installed.toSorted()).toEqual([...needed, 'tini'].toSorted());
});

test('manifests refer to what there is: sets, labels, ports, secrets', () => {
  const pods = workloads();
  const byLabels = (labels: Record<string, string>) =>
    pods.filter((pod) => Object.entries(labels).every(([name, value]) => pod.labels[name] === value));
  const portsOf = (labels: Record<string, string>) =>
    byLabels(labels).flatMap(({ spec }) => spec.containers.flatMap(({ ports }: any) => ports));
  for (const { kind, metadata, spec } of manifests()) {
    if (kind !== 'Namespace') expect(metadata.namespace).toBe('turnpike');
    if (kind === 'HorizontalPodAutoscaler')
      expect(pods).toContainEqual(
        expect.objectContaining({ kind: spec.scaleTargetRef.kind, name: spec.scaleTargetRef.name }),
      );
    if (kind === 'PodDisruptionBudget') expect(byLabels(spec.selector.matchLabels)).toHaveLength(1);
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
  const written = JSON.stringify(pods);
  for (const secret of ['TURNPIKE_SECRET_KEY', 'TURNPIKE_CLUSTER_SECRET', 'DATABASE_URL'])
    expect(written).not.toMatch(new RegExp(`"${secret}","value"`));
});

test('a host has the time to let its sessions live out before it is killed', () => {
  const host = workloads().find(({ name }) => name === 'turnpike-host');
  const env = Object.fromEntries(host?.spec.containers[0].env.map(({ name, value }: any) => [name, value]));
  expect(host?.spec.terminationGracePeriodSeconds).toBeGreaterThan(
    Number(env['TURNPIKE_HOST_DRAIN_SECONDS']) + 30,
  );
  const seconds = Number.parseInt(compose.services['host-1'].stop_grace_period, 10);
  expect(seconds).toBeGreaterThan(
    Number(compose.services['host-1'].environment.TURNPIKE_HOST_DRAIN_SECONDS) + 30,
  );
});

// What of a container can be had without one: the capabilities, and nothing that is set-uid.
test.skipIf(process.getuid?.() !== 0)(
  'browsers run with the capabilities that the manifests give, and no more',
  async () => {
    const host = workloads().find(({ name }) => name === 'turnpike-host')?.spec.containers[0];
    const { add } = host.securityContext.capabilities;
    expect(compose.services['host-1'].cap_add).toEqual(add);
    const bounding = ['-all', ...add.map((name: string) => `+${name.toLowerCase()}`)].join(',');
    const uidBase = host.env.find(({ name }: any) => name === 'TURNPIKE_HOST_UID_BASE').value;
    await using service = await startService({
      env: { TURNPIKE_HOST_UID_BASE: uidBase },
      within: ['setpriv', `--bounding-set=${bounding}`, '--inh-caps=-all', '--no-new-privs'],
    });
    const account = accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl);
    for (const headless of [true, false]) {
      const { status, text, json } = await account.create({ headless });
      expect(status, text).toBe(200);
      expect((await account.close(json.browserId)).json).toEqual({
        browserId: json.browserId,
        status: 'CLOSED',
      });
    }
    expect(await service.stop()).toBe(0);
  },
);
