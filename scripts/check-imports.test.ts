import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { checkImports } from './check-imports.ts';

const roots: string[] = [];
afterEach(() => Promise.all(roots.splice(0).map((root) => rm(root, { recursive: true }))));

const manifests = {
  'package.json': '{ "devDependencies": { "vitest": "5" } }',
  'packages/contract/package.json': '{ "name": "@turnpike/contract" }',
  'apps/cli/package.json':
    '{ "name": "@turnpike/cli", "dependencies": { "@turnpike/gateway": "*", "@turnpike/host": "*" } }',
  'apps/gateway/package.json':
    '{ "name": "@turnpike/gateway", "dependencies": { "@turnpike/contract": "*", "pg": "8" }, "devDependencies": { "typed": "1" } }',
  'apps/host/package.json': '{ "name": "@turnpike/host", "dependencies": { "@turnpike/gateway": "*" } }',
};

/** The violations of a made-up repository, as `file:line: rule`. */
function check(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'imports-'));
  roots.push(root);
  for (const [path, text] of Object.entries({ ...manifests, ...files })) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkImports(root).map(({ file, line, rule }) => `${file}:${line}: ${rule}`);
}

it('accepts imports along the direction', () => {
  const accepted = check({
    'apps/gateway/src/app.ts':
      "import { readFile } from 'node:fs';\nimport { a } from '@turnpike/contract/host';\nimport './sessions/session-routes.ts';",
    'apps/gateway/src/sessions/session-routes.ts': "import type { T } from 'typed';\nexport * from 'pg';",
    'apps/gateway/src/store.test.ts':
      "import { it } from 'vitest';\nimport { x } from '../../../tests/fixtures/x.ts';",
    'apps/cli/src/main.ts': "await import('../apps/gateway/src/app.ts');\nimport '@turnpike/host/app';",
    'tests/whole.test.ts': "import '../apps/host/src/app.ts';\nimport '@turnpike/gateway/app';",
  });
  expect(accepted).toEqual([]);
});

it('refuses an app that imports another, even when it declares it', () => {
  expect(check({ 'apps/host/src/app.ts': "\nimport { app } from '../apps/gateway/src/app.ts';" })).toEqual([
    'apps/host/src/app.ts:2: apps/host may not import apps/gateway',
  ]);
});

it('refuses a contract that imports something of ours', () => {
  expect(check({ 'packages/contract/src/a.ts': "export type { A } from '@turnpike/host/a';" })).toEqual([
    'packages/contract/src/a.ts:1: packages/contract may not import apps/host',
  ]);
});

it('refuses a package that is not declared, and a development package in shipped code', () => {
  const quoted = "'@scope/b/c'"; // apart, or the check would find an import in this very file
  const refused = check({
    'apps/gateway/src/a.ts': `import {\n  deep,\n} from 'fastify/deep';\nimport { t } from 'typed';\nawait import(${quoted});`,
  });
  expect(refused).toEqual([
    'apps/gateway/src/a.ts:3: apps/gateway/package.json does not declare fastify',
    'apps/gateway/src/a.ts:4: apps/gateway/package.json does not declare typed',
    'apps/gateway/src/a.ts:5: apps/gateway/package.json does not declare @scope/b',
  ]);
});

it('refuses shipped code that imports tests, and a relative import over a boundary', () => {
  const refused = check({
    'apps/host/src/a.ts':
      "import { x } from '../../../tests/fixtures/x.ts';\nimport './testing/x.ts';\nimport { y } from '../../gateway/src/y.ts';",
    'apps/host/src/testing/x.ts': "import { x } from '../../../../tests/fixtures/x.ts';",
  });
  expect(refused).toEqual([
    'apps/host/src/a.ts:1: shipped code may not import tests/fixtures/x.ts',
    'apps/host/src/a.ts:2: shipped code may not import apps/host/src/testing/x.ts',
    'apps/host/src/a.ts:3: a relative import may not leave apps/host; import the package by its name',
  ]);
});

it('refuses a store or an operation that imports routes', () => {
  const refused = check({
    'apps/gateway/src/sessions/session-store.ts': "import { routes } from './session-routes.ts';",
  });
  expect(refused).toEqual([
    'apps/gateway/src/sessions/session-store.ts:1: only the wiring in apps/gateway/src may import routes (routes → operations → rules and store)',
  ]);
});

it('refuses a workspace that the table does not know', () => {
  expect(check({ 'packages/utils/package.json': '{ "name": "@turnpike/utils" }' })).toEqual([
    'packages/utils/package.json:1: a workspace needs a row in the table of scripts/check-imports.ts',
  ]);
});

it('takes no text in a string or a comment for an import', () => {
  const text =
    "// import x from 'nowhere';\n/**\n * import y from 'nowhere';\n */\nconst z = \"import 'nowhere'\";\n";
  expect(check({ 'apps/host/src/a.ts': `${text}export const from = 'nowhere';\n` })).toEqual([]);
});
