import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('all packages, the Python client and the changelog have one version', () => {
  const packages = globSync('{apps,packages}/*/package.json', { cwd: root });
  const versions = packages.map((path) => JSON.parse(read(path)).version);
  const python = /__version__ = "(.+)"/.exec(read('clients/python/src/turnpike/version.py'))?.[1];
  const released = /^## (\d\S*)/m.exec(read('CHANGELOG.md'))?.[1];
  expect(packages.length).toBeGreaterThan(5);
  expect(new Set([...versions, python, released]).size).toBe(1);
});
