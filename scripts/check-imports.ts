import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize, relative, resolve } from 'node:path';

/** Which workspaces may import which. What has no row here may not exist. */
const directions: Readonly<Record<string, readonly string[] | 'anything'>> = {
  'packages/contract': [],
  'packages/process': ['packages/contract'],
  'packages/client': ['packages/contract'],
  'packages/mcp': ['packages/contract', 'packages/client'],
  'apps/cli': 'anything', // the all-in-one wiring: the one place that knows them all
  'apps/dashboard': ['packages/contract', 'packages/client'],
  'apps/gateway': ['packages/contract', 'packages/process'],
  'packages/tunnel': ['packages/contract', 'packages/process'],
  'apps/host': ['packages/contract', 'packages/process', 'packages/tunnel'],
  'apps/proxy': ['packages/contract', 'packages/process', 'packages/tunnel'],
};

/** Not shipped, so free to import anything; and nothing that is shipped imports them. */
const unshipped = ['tests', 'bench', 'scripts'];

/** Runs when the pages are built, with development packages. */
const buildConfig = /\/vite\.config\.ts$/;

/** Tests beside the code that they test, and what only these share. */
const testCode = /\.test\.tsx?$|\/src\/(.+\/)?testing\//;

export interface Violation {
  file: string;
  line: number;
  rule: string;
}

interface Import {
  file: string;
  line: number;
  specifier: string;
  typeOnly: boolean;
}

interface Manifest {
  name?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface Workspace {
  directory: string;
  manifest: Manifest;
}

/** Every import against the direction, undeclared, or over a boundary; paths are relative to `root`. */
export function checkImports(root: string): Violation[] {
  const rootManifest = readManifest(root, '.');
  const workspaces = globSync('{apps,packages}/*/package.json', { cwd: root })
    .map((path) => dirname(path))
    .map((directory) => ({ directory, manifest: readManifest(root, directory) }));
  const unknown = workspaces
    .filter(({ directory }) => !(directory in directions))
    .map(({ directory }) => ({
      file: `${directory}/package.json`,
      line: 1,
      rule: 'a workspace needs a row in the table of scripts/check-imports.ts',
    }));
  const files = globSync('{apps,packages,tests,bench,scripts}/**/*.{ts,tsx}', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(path),
  });
  const broken = files.sort().flatMap((file) =>
    readImports(root, file).flatMap((found) => {
      const workspace = workspaces.find(({ directory }) => file.startsWith(`${directory}/`));
      const rule = workspace
        ? brokenRule(found, workspace, workspaces, rootManifest)
        : undeclaredAtRoot(found, workspaces, rootManifest);
      return rule ? [{ file, line: found.line, rule }] : [];
    }),
  );
  return [...unknown, ...broken];
}

function brokenRule(
  found: Import,
  own: Workspace,
  all: readonly Workspace[],
  rootManifest: Manifest,
): string | undefined {
  const isTest = testCode.test(found.file);
  if (found.specifier.startsWith('.')) return brokenPath(found, own, isTest);
  if (isBuiltin(found.specifier)) return undefined;
  const name = packageName(found.specifier);
  if (name === own.manifest.name) return undefined;
  const target = all.find(({ manifest }) => manifest.name === name);
  if (target) {
    const allowed = directions[own.directory] ?? [];
    if (allowed !== 'anything' && !allowed.includes(target.directory)) {
      return `${own.directory} may not import ${target.directory}`;
    }
  }
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = own.manifest;
  const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  if (isTest || found.typeOnly || buildConfig.test(found.file)) Object.assign(declared, devDependencies);
  if (isTest) Object.assign(declared, rootManifest.devDependencies);
  return name in declared ? undefined : `${own.directory}/package.json does not declare ${name}`;
}

function brokenPath({ file, specifier }: Import, own: Workspace, isTest: boolean): string | undefined {
  const target = normalize(join(dirname(file), specifier));
  const inUnshipped = unshipped.some((directory) => target.startsWith(`${directory}/`));
  if ((inUnshipped || testCode.test(target)) && !isTest) return `shipped code may not import ${target}`;
  if (!inUnshipped && !target.startsWith(`${own.directory}/`)) {
    return `a relative import may not leave ${own.directory}; import the package by its name`;
  }
  const isWiring = dirname(file) === `${own.directory}/src`;
  if (/-routes\.tsx?$/.test(target) && !isWiring && !isTest) {
    return `only the wiring in ${own.directory}/src may import routes (routes → operations → rules and store)`;
  }
  return undefined;
}

function undeclaredAtRoot(
  { specifier }: Import,
  workspaces: readonly Workspace[],
  { dependencies, optionalDependencies, devDependencies }: Manifest,
): string | undefined {
  if (specifier.startsWith('.') || isBuiltin(specifier)) return undefined;
  const name = packageName(specifier);
  if (workspaces.some(({ manifest }) => manifest.name === name)) return undefined;
  if (name in { ...dependencies, ...optionalDependencies, ...devDependencies }) return undefined;
  return `package.json does not declare ${name}`;
}

function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The formatter puts each declaration at the start of a line, so that text in strings and comments is not taken. */
const declaration =
  /^[ \t]*(?:import[ \t]*(?<bare>)|(?:import|export)(?<type>\s+type\b)?\s[^'"`;=()]*?\bfrom\s*)(['"])(?<name>[^'"\n]+)\3/gm;
const dynamic = /(?<![\w.])import\s*\(\s*(['"])(?<name>[^'"\n]+)\1/g;

function readImports(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(declaration), ...text.matchAll(dynamic)].map(({ index, groups, 0: whole }) => ({
    file,
    line: text.slice(0, index + whole.length).split('\n').length,
    specifier: groups?.['name'] ?? '',
    typeOnly: groups?.['type'] !== undefined,
  }));
}

function readManifest(root: string, directory: string): Manifest {
  return JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const violations = checkImports(root);
  for (const { file, line, rule } of violations) {
    console.error(`${relative(process.cwd(), join(root, file))}:${line}: ${rule}`);
  }
  process.exitCode = violations.length > 0 ? 1 : 0;
}
