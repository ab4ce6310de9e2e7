import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { folders, workspaces } from './import-rules.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the table', () => {
  it('has a row for each workspace, and for each folder and file of those that have a table', () => {
    const found = globSync('{apps,packages}/*/package.json', { cwd: root }).map((path) => dirname(path));
    expect(Object.keys(workspaces).sort()).toEqual(found.sort());
    for (const [workspace, table] of Object.entries(folders)) {
      const names = globSync('*', { cwd: join(root, workspace, 'src') })
        .filter((name) => !/\.test\.tsx?$|^testing$/.test(name))
        .map((name) => name.replace(/\.(tsx?|css)$/, ''));
      expect({ [workspace]: Object.keys(table).sort() }).toEqual({ [workspace]: [...new Set(names)].sort() });
    }
  });

  it('is what docs/architecture.md draws: every name once, every allowed import from an upper line to a lower', () => {
    const drawings = readDrawings();
    expect(Object.keys(drawings).sort()).toEqual(['workspaces', ...Object.keys(folders)].sort());
    for (const [title, table] of Object.entries({ workspaces, ...folders })) {
      const lines = drawings[title] ?? [];
      expect({ [title]: lines.flat().sort() }).toEqual({ [title]: Object.keys(table).sort() });
      const line = (name: string) => lines.findIndex((names) => names.includes(name));
      const wrong = Object.entries(table).flatMap(([from, allowed]) =>
        allowed.filter((to) => line(to) <= line(from)).map((to) => `${title}: ${from} → ${to}`),
      );
      expect(wrong).toEqual([]);
    }
  });
});

it('no folder has more than 25 files, unless docs/architecture.md says why', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const sizes = Map.groupBy(
    files.filter((path) => !/\.test\.tsx?$/.test(path) || path.startsWith('tests/')),
    (path) => dirname(path),
  );
  const large = [...sizes].filter(([, inside]) => inside.length > 25).map(([folder]) => folder);
  expect(large.sort()).toEqual([
    'apps/gateway/src/store/migrations',
    'bench/results',
    'docs',
    'docs/decisions',
  ]);
});

/** Reads the drawing: titles at the start of a line, and under each its indented lines of names. */
function readDrawings(): Record<string, string[][]> {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, block = ''] = /## Who may import whom.*?\n```\n(.*?)```/s.exec(page) ?? [];
  const parts = block.split(/\n(?=\S)/).map((part) => part.trimEnd().split('\n'));
  return Object.fromEntries(
    parts.map(([title = '', ...lines]) => [title, lines.map((line) => line.trim().split(/\s+/))]),
  );
}

describe('the checker', () => {
  const roots: string[] = [];
  afterEach(() => Promise.all(roots.splice(0).map((path) => rm(path, { recursive: true }))));

  const packages = ['packages/contract', 'apps/gateway', 'apps/host', 'apps/cli'];

  /** Checks a made-up repository and returns its violations as `rule: from → to`. */
  async function check(files: Record<string, string>): Promise<string[]> {
    const made = mkdtempSync(join(tmpdir(), 'imports-'));
    roots.push(made);
    const manifest = (directory: string) =>
      JSON.stringify({ name: directory.replace(/^\w+/, '@turnpike'), exports: { './*': './src/*.ts' } });
    const manifests = Object.fromEntries(
      packages.map((directory) => [`${directory}/package.json`, manifest(directory)]),
    );
    for (const [path, text] of Object.entries({ ...manifests, ...files })) {
      mkdirSync(join(made, dirname(path)), { recursive: true });
      writeFileSync(join(made, path), text);
    }
    mkdirSync(join(made, 'node_modules/@turnpike'), { recursive: true });
    for (const path of packages) {
      symlinkSync(join(made, path), join(made, path.replace(/^\w+/, 'node_modules/@turnpike')));
    }
    const tops = [...new Set(Object.keys(files).map((path) => path.replace(/\/.*/, '')))];
    const { stdout } = await promisify(execFile)(
      join(root, 'node_modules/.bin/depcruise'),
      ['--config', join(root, 'scripts/check/dependency-cruiser.ts'), '--output-type', 'json', ...tops],
      { cwd: made },
    ).catch((error: { stdout: string }) => error);
    const { summary } = JSON.parse(stdout) as { summary: { violations: Found[] } };
    return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort();
  }

  interface Found {
    rule: { name: string };
    from: string;
    to: string;
  }

  it('accepts imports along the lists, and anything in tests', async () => {
    const accepted = await check({
      'packages/contract/src/host.ts': 'export const a = 1;',
      'apps/gateway/src/app.ts':
        "import '@turnpike/contract/host';\nimport './sessions/session-routes.ts';\nexport {};",
      'apps/gateway/src/config.ts': 'export const x = 1;',
      'apps/gateway/src/main.ts': "import './app.ts';",
      'apps/gateway/src/sessions/session-routes.ts':
        "import type { S } from '../store/s.ts';\nexport type { S };",
      'apps/gateway/src/store/s.ts': 'export type S = 1;',
      'apps/gateway/src/store/s.test.ts':
        "import '../app.ts';\nimport '../../../../tests/fixtures/x.ts';\nimport './s.ts';",
      'apps/cli/src/main.ts': "await import('@turnpike/gateway/main');\nimport '@turnpike/host/config';",
      'apps/host/src/config.ts': 'export const x = 1;',
      'tests/fixtures/x.ts': "import '@turnpike/gateway/store/s';",
      'tests/whole.test.ts': "import '../apps/host/src/config.ts';\nimport '@turnpike/gateway/app';",
    });
    expect(accepted).toEqual([]);
  });

  it('refuses imports against the lists, of types and inside functions too', async () => {
    const refused = await check({
      'apps/gateway/src/config.ts': 'export const x = 1;',
      'apps/gateway/src/sessions/s.ts': 'export interface S { a: 1 }',
      'apps/gateway/src/http/h.ts': "import type { S } from '../sessions/s.ts';\nexport type { S };",
      'apps/gateway/src/store/s.ts':
        "export async function f() {\n  await using x = g();\n  return import('../http/h.ts');\n}",
      'apps/gateway/src/accounts/account-store.ts': 'export const x = 1;',
      'apps/gateway/src/users/u.ts': "import '../accounts/account-store.ts';",
      'apps/host/src/app.ts': "import { x } from '@turnpike/gateway/config';",
      'packages/contract/src/a.ts': "export type { A } from '@turnpike/host/app';",
    });
    expect(refused).toEqual([
      'not in the list of apps/gateway/src/http: apps/gateway/src/http/h.ts → apps/gateway/src/sessions/s.ts',
      'not in the list of apps/gateway/src/store: apps/gateway/src/store/s.ts → apps/gateway/src/http/h.ts',
      'not in the list of apps/host: apps/host/src/app.ts → apps/gateway/src/config.ts',
      'not in the list of packages/contract: packages/contract/src/a.ts → apps/host/src/app.ts',
      "only its own folder, dashboard, operator and the files beside the folders may import a feature's store: apps/gateway/src/users/u.ts → apps/gateway/src/accounts/account-store.ts",
    ]);
  });

  it('refuses tests in shipped code, relative paths out of a workspace, routes, cycles and missing rows', async () => {
    const refused = await check({
      'tests/fixtures/x.ts': 'export const x = 1;',
      'apps/gateway/src/config.ts': 'export const x = 1;',
      'apps/gateway/src/sessions/session-routes.ts': 'export const x = 1;',
      'apps/gateway/src/sessions/session-store.ts': "import './session-routes.ts';",
      'apps/gateway/src/utils/a.ts': "import type { B } from './b.ts';\nexport interface A { b: B }",
      'apps/gateway/src/utils/b.ts': "import type { A } from './a.ts';\nexport interface B { a: A }",
      'apps/host/src/testing/x.ts': "import '../../../../tests/fixtures/x.ts';",
      'apps/host/src/pool/a.ts': "import '../../../../tests/fixtures/x.ts';\nimport '../testing/x.ts';",
      'apps/host/src/pool/b.ts': "import '../../../gateway/src/config.ts';",
      'packages/utils/src/x.ts': "import 'node:fs';",
    });
    const row = 'a folder of apps/gateway/src needs a row in scripts/check/import-rules.ts';
    const shipped = 'shipped code may not import tests, benches or scripts';
    expect(refused).toEqual([
      `${row}: apps/gateway/src/utils/a.ts → apps/gateway/src/utils/b.ts`,
      `${row}: apps/gateway/src/utils/b.ts → apps/gateway/src/utils/a.ts`,
      'a relative import may not leave its workspace; import the package by its name: apps/host/src/pool/b.ts → apps/gateway/src/config.ts',
      'a workspace needs a row in scripts/check/import-rules.ts: packages/utils/src/x.ts → fs',
      'import cycle: apps/gateway/src/utils/a.ts → apps/gateway/src/utils/b.ts',
      'not in the list of apps/host: apps/host/src/pool/b.ts → apps/gateway/src/config.ts',
      'only the files beside the folders may import routes: apps/gateway/src/sessions/session-store.ts → apps/gateway/src/sessions/session-routes.ts',
      `${shipped}: apps/host/src/pool/a.ts → apps/host/src/testing/x.ts`,
      `${shipped}: apps/host/src/pool/a.ts → tests/fixtures/x.ts`,
    ]);
  });
});
