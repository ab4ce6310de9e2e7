import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { packageRoot } from '../program.ts';

/** A file for the sandbox: where it is to be, and how long it is. */
export interface SentFile {
  path: string;
  bytes: number;
  read(): Promise<Buffer>;
}

export interface LighthouseFiles {
  /** The module that exports Lighthouse. */
  entry: string;
  files: SentFile[];
}

/** Only for its command line, for reports to its makers, or as types. Puppeteer is in the worker already. */
const unused = new Set([
  ...['@sentry/node', 'chrome-launcher', 'configstore', 'enquirer', 'open', 'yargs', 'yargs-parser'],
  ...['devtools-protocol', 'puppeteer-core', 'web-features', 'ws'],
]);

const isUsed = /\.(?:[cm]?js|json|html|css)$/;
/** Other languages take most of the room. */
const leftOut = /(?:^|\/)(?:cli|locales|node_modules|test)\/|\.test\.js$|^axe\.js$/;

/** Instead of a module that loads all languages. */
const englishOnly = `import english from './locales/en-US.json' with { type: 'json' };
export const locales = { 'en-US': english, en: english };
`;
const localesPath = 'shared/localization/locales.js';
const englishPath = 'shared/localization/locales/en-US.json';

let listed: Promise<LighthouseFiles> | undefined;

/**
 * Lists the files of Lighthouse and of what it needs, once. It reads files of its own, so it runs from a copy in the
 * session's temporary directory, where they lie as in `node_modules` here.
 */
export function lighthouseFiles(): Promise<LighthouseFiles> {
  listed ??= list();
  return listed;
}

async function list(): Promise<LighthouseFiles> {
  const lighthouse = packageRoot('lighthouse', import.meta.dirname);
  const roots = await withDependencies(lighthouse);
  const base = baseOf(roots);
  const files = await Promise.all(roots.map((root) => filesOf(root, base, root === lighthouse)));
  return { entry: join(relative(base, lighthouse), 'core/index.js'), files: files.flat() };
}

async function withDependencies(first: string): Promise<string[]> {
  const roots = new Set([first]);
  for (const root of roots) {
    const { dependencies = {} } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const name of Object.keys(dependencies)) if (!unused.has(name)) roots.add(packageRoot(name, root));
  }
  return [...roots];
}

/** The directory that has all of them below it, with `node_modules` in their paths. */
function baseOf(roots: readonly string[]): string {
  let base = dirname(roots[0] ?? '');
  while (!roots.every((root) => root.startsWith(`${base}/`))) base = dirname(base);
  return basename(base) === 'node_modules' ? dirname(base) : base;
}

async function filesOf(root: string, base: string, isLighthouse: boolean): Promise<SentFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && isUsed.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !leftOut.test(path) || (isLighthouse && path === englishPath));
  return await Promise.all(
    paths.map(async (path) => {
      const at = join(root, path);
      const sent = { path: relative(base, at), bytes: (await stat(at)).size, read: () => readFile(at) };
      if (!isLighthouse || path !== localesPath) return sent;
      return { ...sent, bytes: englishOnly.length, read: async () => Buffer.from(englishOnly) };
    }),
  );
}
