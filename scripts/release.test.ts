import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  checkRelease,
  newestRelease,
  packSources,
  prepareRelease,
  tagRelease,
  versionsIn,
} from './release.ts';

const root = join(import.meta.dirname, '..');

test('all packages, the lock file, the clients, the chart and the changelog have one version', () => {
  const versions = versionsIn(root);
  expect(versions.length).toBeGreaterThan(40);
  checkRelease(root, `v${newestRelease(root).version}`);
});

let clone: string;
const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
const read = (path: string) => readFileSync(join(clone, path), 'utf8');
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'release-'));
  execFileSync('git', ['clone', '--quiet', '--shared', root, clone]);
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  const changes = `## Unreleased\n\n### Added\n- Something, at last.\n\n## ${newestRelease(clone).version}\n`;
  writeFileSync(join(clone, 'CHANGELOG.md'), `# Changelog\n\n${changes}\nThe first.\n`);
});
afterAll(() => rmSync(clone, { recursive: true }));

test('a release takes the changelog, writes every version, and is tagged with its section', () => {
  const before = versionsIn(clone);
  for (const version of ['0.0.9', newestRelease(clone).version, '99.1', 'v99.1.0'])
    expect(() => prepareRelease(clone, version, '2026-12-01')).toThrow('is not a version like 1.2.3');
  prepareRelease(clone, '99.1.0', '2026-12-01');
  expect(read('CHANGELOG.md')).toMatch(
    /^## Unreleased\n\n## 99\.1\.0 \(2026-12-01\)\n\n### Added\n- Something/m,
  );
  expect(versionsIn(clone)).toEqual(before.map(({ place }) => ({ place, version: '99.1.0' })));
  expect(JSON.parse(read('apps/cli/package.json')).dependencies['turnpike-client']).toBe('^99.1.0');
  const lock = JSON.parse(read('package-lock.json')).packages;
  expect(lock['apps/cli'].dependencies['turnpike-client']).toBe('^99.1.0');
  // A package of others keeps its version.
  expect(git('diff', 'package-lock.json')).not.toMatch(
    /^[-+].*"(?!version|@turnpike|turnpike-client)[^"]+":/m,
  );
  expect(() => prepareRelease(clone, '99.2.0', '2026-12-01')).toThrow('nothing under "## Unreleased"');

  expect(() => tagRelease(clone)).toThrow('Commit the release before you tag it.');
  git('commit', '--quiet', '--all', '--message', 'release: 99.1.0');
  expect(tagRelease(clone)).toBe('v99.1.0');
  expect(git('tag', '--list', 'v99.1.0', '--format', '%(contents)').trim()).toBe(
    'Turnpike 99.1.0\n\n### Added\n- Something, at last.',
  );
  expect(() => tagRelease(clone)).toThrow('already exists');
});

test('a tag of another version, and a version that was changed by hand, are refused', () => {
  checkRelease(clone, 'v99.1.0');
  expect(() => checkRelease(clone, 'v99.1.1')).toThrow(
    "The tag is v99.1.1, but the changelog's newest version is 99.1.0.",
  );
  writeFileSync(join(clone, 'clients/python/src/turnpike/version.py'), '__version__ = "1.0.0"\n');
  expect(() => checkRelease(clone)).toThrow(
    "The changelog's newest version is 99.1.0, but clients/python/src/turnpike/version.py has 1.0.0.",
  );
});

test('the sources are what is committed, in a directory of their own', () => {
  appendFileSync(join(clone, 'README.md'), 'not committed\n');
  const file = join(clone, 'sources.tar.gz');
  packSources(clone, file, '99.1.0');
  const names = execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).split('\n');
  expect(names).toContain('turnpike-99.1.0/scripts/start');
  expect(names.filter((name) => name !== '' && !name.startsWith('turnpike-99.1.0/'))).toEqual([]);
  const readme = execFileSync('tar', ['-xzOf', file, 'turnpike-99.1.0/README.md'], { encoding: 'utf8' });
  expect(readme).not.toContain('not committed');
});

test('the workflow runs for tags like these, and checks before it builds', () => {
  const { on, jobs } = parse(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8'));
  expect(on).toEqual({ push: { tags: ['v*'] } });
  const commands = (job: string) => jobs[job].steps.flatMap(({ run }: { run?: string }) => run ?? []);
  for (const job of ['files', 'images']) {
    const [first, ...rest] = commands(job).filter((line: string) => !line.startsWith('git config'));
    expect(first).toBe('node scripts/release.ts --check "$GITHUB_REF_NAME"');
    expect(rest.length).toBeGreaterThan(0);
  }
  expect(jobs.publish.needs).toEqual(['files', 'images']);
});
