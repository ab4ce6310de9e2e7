import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const client = join(root, 'packages/client');

/**
 * Builds the published form of the Node client into a directory for `npm publish` and `npm pack`: JavaScript, as ES
 * modules and as CommonJS. In this repository the package is its source, run directly.
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
  for (const file of globSync('*.d.ts', { cwd: outDirectory })) {
    const path = join(outDirectory, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/[^']+)\.ts'/g, "$1.js'"));
  }
}

if (import.meta.main) {
  const outDirectory = join(client, 'dist');
  buildClient(outDirectory);
  console.log(`The package is in ${outDirectory}: npm publish ${outDirectory}`);
}
