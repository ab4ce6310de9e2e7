import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { documents, filesOf, instructions, knownSettings, read, root } from './files.ts';

watchLeaks();

const dockerfiles = filesOf('deploy/docker/*.Dockerfile');
const compose = documents(read('deploy/compose/compose.yaml'))[0];
const ours = (image: string) => image.startsWith('turnpike/');

test('every setting in the deployment files is one that a part reads', () => {
  const named = [
    ...dockerfiles.flatMap((path) =>
      instructions(path)
        .filter(({ name }) => name === 'ENV')
        .flatMap(({ words }) => words.map((word) => word.split('=')[0] ?? '')),
    ),
    ...Object.values<any>(compose.services)
      .filter(({ image }) => ours(image))
      .flatMap(({ environment }) => Object.keys(environment)),
  ];
  const known = new Set([...knownSettings(), 'NODE_ENV']);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(new Set(named).size).toBeGreaterThan(15);
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
    expect(steps.find(({ name }) => name === 'FROM')?.words[0]).toBe(`\${BASE}`);
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

test('a host has the time to let its sessions live out before it is killed', () => {
  const { stop_grace_period, environment } = compose.services['host-1'];
  expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(
    Number(environment.TURNPIKE_HOST_DRAIN_SECONDS) + 30,
  );
});

// What of a container can be had without one: the capabilities, and nothing that is set-uid.
test.runIf(process.getuid?.() === 0)(
  'browsers run with the capabilities that a host has in a container, and no more',
  { tags: 'slow' },
  async () => {
    const add: string[] = compose.services['host-1'].cap_add;
    const bounding = ['-all', ...add.map((name) => `+${name.toLowerCase()}`)].join(',');
    await using service = await startService({
      // As in a pod, whose user namespace has the ids 0 to 65535.
      env: { TURNPIKE_HOST_UID_BASE: '20000' },
      within: ['setpriv', `--bounding-set=${bounding}`, '--inh-caps=-all', '--no-new-privs'],
    });
    const account = accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl);
    for (const headless of [true, false]) {
      const { status, text, json } = await account.create({ headless, profile: 'kept', saveProfile: true });
      expect(status, text).toBe(200);
      const file = `${service.gatewayUrl}/api/browser/${json.browserId}/files/a.txt`;
      const headers = { 'x-api-key': service.demoKey };
      expect((await fetch(file, { method: 'PUT', headers, body: 'whole' })).ok).toBe(true);
      expect(await (await fetch(file, { headers })).text()).toBe('whole');
      expect((await account.close(json.browserId)).json).toEqual({
        browserId: json.browserId,
        status: 'CLOSED',
      });
      const saved = (await account.get('/user/api/profiles')).json;
      expect(saved.profiles).toMatchObject([{ name: 'kept' }]);
    }
    expect(await service.stop()).toBe(0);
  },
);
