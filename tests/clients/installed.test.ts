// @module-tag slow

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packClients, type ReleaseFiles } from '../../scripts/build-client.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { documentSamples } from '../fixtures/suite/doc-samples.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

const execute = promisify(execFile);
const all = new AsyncDisposableStack();
let files: ReleaseFiles;
let directory: string;
let env: NodeJS.ProcessEnv;
let replacements: [string, string][];

beforeAll(async () => {
  directory = all.use(await scratchDirectory('installed')).path;
  files = packClients(directory);
  const web = all.use(await startWebServer());
  const service = all.use(await sharedService());
  const account = await service.account({ creates_per_minute: 1000 });
  replacements = [
    ['https://example.com/', `${web.origin}/`],
    ['http://127.0.0.1:8080', service.gatewayUrl],
  ];
  env = {
    ...process.env,
    TURNPIKE_URL: service.gatewayUrl,
    TURNPIKE_API_KEY: account.key,
    TURNPIKE_PROXY: account.proxy,
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  };
});
afterAll(() => all.disposeAsync());

/** The samples of a page, with this test's addresses. */
const samplesOf = (page: string, language: string): string[] =>
  documentSamples()
    .filter((sample) => sample.place.startsWith(`${page}:`) && sample.language === language)
    .filter(({ mark }) => mark !== 'sketch')
    .map(({ code }) => replacements.reduce((text, [from, to]) => text.replaceAll(from, to), code));

/** Node versions of this machine, with their programs: the one that runs the tests, and that of the system. */
const nodes = new Map(
  [process.execPath, '/usr/bin/node', '/usr/local/bin/node']
    .filter((path) => existsSync(path))
    .map((path) => [execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(), path]),
);

test.each([...nodes])(
  'the tarball runs its samples in an empty project on Node %s',
  async (version, node) => {
    const project = join(directory, `node-${version}`);
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{"private":true}');
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
    const install = ['install', ...quiet, files.tarball, 'playwright-core'];
    await execute('npm', install, { cwd: project, env });
    const samples = samplesOf('docs/clients-node.md', 'js');
    expect(samples.length).toBeGreaterThan(0);
    for (const sample of samples) {
      await writeFile(join(project, 'sample.mjs'), sample);
      await execute(node, ['sample.mjs'], { cwd: project, env, timeout: 60_000 });
    }
  },
);

for (const version of ['3.10', '3.11', '3.12', '3.13']) {
  const program = pythonOf(version);
  test.skipIf(!program)(
    `the wheel runs its samples in an empty environment on Python ${version}`,
    async () => {
      const environment = join(directory, `python-${version}`);
      await execute(program ?? '', ['-m', 'venv', environment]);
      const python = join(environment, 'bin/python');
      await execute(python, ['-m', 'pip', 'install', '--quiet', files.wheel], { env, timeout: 110_000 });
      const samples = samplesOf('docs/clients-python.md', 'python');
      expect(samples.length).toBeGreaterThan(2);
      for (const sample of samples)
        await execute(python, ['-c', sample], { env, cwd: directory, timeout: 60_000 });
    },
  );
}

/** A Python of that version: the system's, or one that pyenv keeps. */
function pythonOf(version: string): string | undefined {
  const home = process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv');
  const kept = globSync(join(home, `versions/${version}.*/bin/python3`));
  return [...kept, `/usr/bin/python${version}`, `/usr/local/bin/python${version}`].find((path) =>
    existsSync(path),
  );
}
