import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packClients } from './build-client.ts';

/**
 * Makes a release from the changelog:
 *
 *     npm run release -- 0.2.0    writes the version everywhere, and the changelog's heading; then review and commit
 *     npm run release -- --tag    makes the tag of the changelog's newest version, with its section as the message
 *
 * The workflow that a pushed tag starts uses the other two:
 *
 *     --check v0.2.0              refuses a tag that is not the changelog's newest version, or versions that differ
 *     --build dist                builds the files of the release: sources, Node client, Python client, notes
 */

/** Where the version stands, besides package-lock.json and the changelog. A pattern has it as its second group. */
const places: readonly (readonly [files: string, ...patterns: RegExp[]])[] = [
  [
    '{apps,packages}/*/package.json',
    /^( {2}"version": ")([^"]+)(")/m,
    /^( {4}"(?:@turnpike\/[a-z-]+|turnpike-client)": "\^?)([^"]+)(")/gm,
  ],
  ['clients/python/src/turnpike/version.py', /^(__version__ = ")([^"]+)(")/m],
  ['packages/mcp/src/mcp-server.ts', /(title: 'Turnpike', version: ')([^']+)(')/],
  ['deploy/helm/turnpike/Chart.yaml', /^(version: )(\S+)()$/m, /^(appVersion: )(\S+)()$/m],
  ['{docs,packages/client,clients/python}/*.md', /(turnpike[-_]client-)(\d+\.\d+\.\d+)(-py3|\.tgz)/g],
  ['{docs/deployment.md,deploy/docker/build}', /(deploy\/docker\/build )(\d+\.\d+\.\d+)()/],
];

interface Release {
  version: string;
  /** Its section of the changelog. */
  notes: string;
}

/** Reads the changelog's newest release. */
export function newestRelease(root: string): Release {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
  const newest = sections.find((section) => /^\d/.test(section)) ?? '';
  const [heading = '', ...lines] = newest.split('\n');
  return { version: heading.split(' ')[0] ?? '', notes: lines.join('\n').trim() };
}

/** Lists every place of the version, with what it says. */
export function versionsIn(root: string): { place: string; version: string }[] {
  const written = places.flatMap(([files, ...patterns]) =>
    globSync(files, { cwd: root }).flatMap((place) => {
      const text = readFileSync(join(root, place), 'utf8');
      return patterns.flatMap((pattern) =>
        [...text.matchAll(new RegExp(pattern, 'gm'))].map((match) => ({ place, version: match[2] ?? '' })),
      );
    }),
  );
  const locked = workspacesOf(lockFile(root)).map(([path, { version }]) => ({
    place: `package-lock.json: ${path}`,
    version,
  }));
  return [...written, ...locked, { place: 'CHANGELOG.md', version: newestRelease(root).version }];
}

/** Refuses versions that differ, and a tag that is not theirs. */
export function checkRelease(root: string, tag?: string): Release {
  const release = newestRelease(root);
  const wrong = versionsIn(root).filter(({ version }) => version !== release.version);
  if (wrong.length > 0) {
    const list = wrong.map(({ place, version }) => `${place} has ${version}`).join(', ');
    throw new Error(`The changelog's newest version is ${release.version}, but ${list}.`);
  }
  if (tag !== undefined && tag !== `v${release.version}`)
    throw new Error(`The tag is ${tag}, but the changelog's newest version is ${release.version}.`);
  return release;
}

/** Makes what is unreleased in the changelog a version, and writes it in every place. */
export function prepareRelease(root: string, version: string, date: string): void {
  const { version: last } = newestRelease(root);
  if (!/^\d+\.\d+\.\d+$/.test(version) || !isLater(version, last))
    throw new Error(`${version} is not a version like 1.2.3 that comes after ${last}.`);
  const path = join(root, 'CHANGELOG.md');
  const changelog = readFileSync(path, 'utf8');
  const [, changes = ''] = /^## Unreleased\n([\s\S]*?)^## /m.exec(changelog) ?? [];
  if (changes.trim() === '') throw new Error('The changelog has nothing under "## Unreleased".');
  writeFileSync(
    path,
    changelog.replace('## Unreleased\n', () => `## Unreleased\n\n## ${version} (${date})\n`),
  );
  for (const [files, ...patterns] of places) {
    for (const place of globSync(files, { cwd: root })) {
      const text = readFileSync(join(root, place), 'utf8');
      const put = (all: string, pattern: RegExp) =>
        all.replace(new RegExp(pattern, 'gm'), (_, before, __, after) => `${before}${version}${after}`);
      writeFileSync(join(root, place), patterns.reduce(put, text));
    }
  }
  writeLock(root, version);
}

/** Makes the annotated tag of the newest release, on a commit that has everything. */
export function tagRelease(root: string): string {
  const { version, notes } = checkRelease(root);
  if (git(root, 'status', '--porcelain') !== '') throw new Error('Commit the release before you tag it.');
  const tag = `v${version}`;
  // Without this, git takes the changelog's headings for comments.
  git(root, 'tag', '--annotate', '--cleanup=whitespace', tag, '--message', `Turnpike ${version}\n\n${notes}`);
  return tag;
}

/** Builds the files of a release from the checkout: sources, both clients, and the notes. */
function buildRelease(root: string, directory: string): void {
  const { version, notes } = checkRelease(root);
  mkdirSync(directory, { recursive: true });
  packClients(directory);
  packSources(root, join(directory, `turnpike-${version}.tar.gz`), version);
  writeFileSync(join(directory, 'notes.md'), `${notes}\n`);
}

/** Packs what is committed, without its history. */
export function packSources(root: string, file: string, version: string): void {
  git(root, 'archive', `--prefix=turnpike-${version}/`, '--output', file, 'HEAD');
}

const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function isLater(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number));
  const differing = a?.findIndex((part, index) => part !== b?.[index]) ?? -1;
  return differing >= 0 && (a?.[differing] ?? 0) > (b?.[differing] ?? 0);
}

interface Lock {
  packages: Record<string, { version: string; dependencies?: Record<string, string>; link?: true }>;
}

const lockFile = (root: string): Lock => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const workspacesOf = ({ packages }: Lock) =>
  Object.entries(packages).filter(([path]) => /^(?:apps|packages)\/[^/]+$/.test(path));

function writeLock(root: string, version: string): void {
  const lock = lockFile(root);
  for (const [, entry] of workspacesOf(lock)) {
    entry.version = version;
    for (const name of Object.keys(entry.dependencies ?? {})) {
      if (/^(?:@turnpike\/|turnpike-client$)/.test(name) && entry.dependencies)
        entry.dependencies[name] = entry.dependencies[name]?.replace(/\d.*/, version) ?? version;
    }
  }
  writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { tag: { type: 'boolean' }, check: { type: 'string' }, build: { type: 'string' } },
  });
  const [version] = positionals;
  if (values.tag) console.log(`Tagged. Push it to build the release: git push origin ${tagRelease(root)}`);
  else if (values.check !== undefined) checkRelease(root, values.check);
  else if (values.build !== undefined) buildRelease(root, resolve(values.build));
  else if (version !== undefined) {
    prepareRelease(root, version, new Date().toISOString().slice(0, 10));
    console.log(`Review and commit it, then: npm run release -- --tag`);
  } else throw new Error('Name the version: npm run release -- 0.2.0');
}
