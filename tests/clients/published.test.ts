// @module-tag slow

import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildClient } from '../../scripts/build-client.ts';
import { startGatewayOn } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

const work = `
  const turnpike = new Turnpike({ endpoint: process.env.ENDPOINT, apiKey: process.env.KEY });
  const session = await turnpike.create({ proxy: process.env.PROXY });
  const { status } = await turnpike.close();
  const error = await turnpike.status('br_none').catch((error) => error);
  console.log(JSON.stringify([session.status, status, error instanceof SessionNotFoundError]));
`;

/** Used with types: what is promised, in both module systems, with the library's own declarations checked. */
const typed = `
  import { ProxyError, type Session, Turnpike } from 'turnpike-client';
  const turnpike = new Turnpike({ endpoint: 'http://gateway.example', apiKey: 'key' });
  export async function use(): Promise<Session | string | undefined> {
    try {
      const { title } = await turnpike.withBrowser(
        { proxy: 'http://proxy.example:1', os: 'linux', driver: { connectOverCDP: async (url: string) => ({ title: url }) } },
        async (browser, session) => ({ title: browser.title + session.browserId }),
      );
      for await (const record of turnpike.listSessions({ status: 'DEAD' })) console.log(record.endedAt, title);
      // @ts-expect-error an operating system that there is not
      return await turnpike.create({ os: 'beos' });
    } catch (error) {
      return error instanceof ProxyError ? error.detail : turnpike.vncUrl;
    }
  }
`;

test('the packed client works in an empty project: imported, required, and typed in both', async () => {
  await using built = await scratchDirectory('built');
  await using project = await scratchDirectory('project');
  await using gateway = await startGatewayOn('sqlite');
  const account = await gateway.account();
  buildClient(built.path);
  // npm's caches are to go with the project.
  const env = { ...process.env, npm_config_cache: join(project.path, 'cache'), TMPDIR: project.path };
  const inProject = { cwd: project.path, env };
  await run('npm', ['pack', built.path, '--silent'], inProject);
  const [tarball = ''] = (await readdir(project.path)).filter((name) => name.endsWith('.tgz'));
  await writeFile(join(project.path, 'package.json'), '{"private":true}');
  await run(
    'npm',
    ['install', '--offline', '--silent', '--no-audit', '--no-fund', `./${tarball}`],
    inProject,
  );

  const installed = JSON.parse(
    await readFile(join(project.path, 'node_modules/turnpike-client/package.json'), 'utf8'),
  );
  expect(installed).not.toHaveProperty('dependencies');
  expect(await readdir(join(project.path, 'node_modules/turnpike-client'))).toEqual(
    expect.arrayContaining(['LICENSE', 'README.md', 'cjs', 'esm']),
  );

  const secrets = { ENDPOINT: gateway.url, KEY: account.key, PROXY: account.proxy };
  const programs = {
    'use.mjs': `import { SessionNotFoundError, Turnpike } from 'turnpike-client';${work}`,
    'use.cjs': `const { SessionNotFoundError, Turnpike } = require('turnpike-client'); (async () => {${work}})();`,
  };
  for (const [name, program] of Object.entries(programs)) {
    await writeFile(join(project.path, name), program);
    const { stdout } = await run(process.execPath, [name], {
      cwd: project.path,
      env: { ...env, ...secrets },
    });
    expect(JSON.parse(stdout)).toEqual(['ACTIVE', 'CLOSED', true]);
  }

  for (const name of ['use.mts', 'use.cts']) await writeFile(join(project.path, name), typed);
  const settings = {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: ['use.mts', 'use.cts'],
  };
  await writeFile(join(project.path, 'tsconfig.json'), JSON.stringify(settings));
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', project.path]).catch(({ stdout }) =>
    expect(stdout).toBe(''),
  );
});
