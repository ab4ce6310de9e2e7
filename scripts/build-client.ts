import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const client = join(root, 'packages/client');

/** Files of a release, which `npm install` and `pip install` take. */
export interface ReleaseFiles {
  tarball: string;
  wheel: string;
}

/** Packs both clients for a release, into a directory. */
export function packClients(outDirectory: string): ReleaseFiles {
  mkdirSync(outDirectory, { recursive: true });
  const built = mkdtempSync(join(tmpdir(), 'turnpike-client-'));
  try {
    buildClient(built);
    execFileSync('npm', ['pack', built, '--silent', '--pack-destination', outDirectory], { cwd: built });
  } finally {
    rmSync(built, { recursive: true });
  }
  const python = join(root, 'clients/python');
  const hatchling = ['-m', 'hatchling', 'build', '-t', 'wheel', '-d', outDirectory];
  execFileSync(join(python, '.venv/bin/python'), hatchling, {
    cwd: python,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [tarball] = globSync('turnpike-client-*.tgz', { cwd: outDirectory });
  const [wheel] = globSync('turnpike_client-*.whl', { cwd: outDirectory });
  if (!tarball || !wheel) throw new Error(`${outDirectory} lacks the tarball or the wheel`);
  return { tarball: join(outDirectory, tarball), wheel: join(outDirectory, wheel) };
}

/**
 * Builds the Node client as it is released, into a directory that `npm pack` takes as it is. Here the package is its
 * source, run directly; there it is JavaScript, as ES modules and as CommonJS.
 */
export function buildClient(outDirectory: string): void {
  rmSync(outDirectory, { recursive: true, force: true });
  compile(join(outDirectory, 'esm'));
  compile(
    join(outDirectory, 'cjs'),
    '--module',
    'commonjs',
    '--moduleResolution',
    'bundler',
    '--verbatimModuleSyntax',
    'false',
  );
  writeFileSync(join(outDirectory, 'cjs/package.json'), '{"type":"commonjs"}\n');
  const {
    private: _,
    devDependencies: __,
    ...manifest
  } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const entry = (form: string) => ({ types: `./${form}/index.d.ts`, default: `./${form}/index.js` });
  const published = {
    ...manifest,
    main: './cjs/index.js',
    types: './cjs/index.d.ts',
    exports: { '.': { import: entry('esm'), require: entry('cjs') }, './package.json': './package.json' },
    sideEffects: false,
  };
  writeFileSync(join(outDirectory, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(client, 'README.md'), join(outDirectory, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(outDirectory, 'LICENSE'));
}

function compile(outDirectory: string, ...flags: string[]): void {
  mkdirSync(outDirectory, { recursive: true });
  const project = join(client, 'tsconfig.build.json');
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--outDir', outDirectory, ...flags], {
    stdio: 'inherit',
  });
  // The compiler rewrites the extensions of imports in JavaScript, not in declarations.
  for (const file of globSync('**/*.d.ts', { cwd: outDirectory })) {
    const path = join(outDirectory, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\.?\/[^']+)\.ts'/g, "$1.js'"));
  }
}

if (import.meta.main) {
  const outDirectory = join(root, 'dist');
  rmSync(outDirectory, { recursive: true, force: true });
  const { tarball, wheel } = packClients(outDirectory);
  console.log(`npm install ${tarball}`);
  console.log(`pip install ${wheel}`);
}
