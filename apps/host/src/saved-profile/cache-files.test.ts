import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDirectory } from '../sandbox/open-directory.ts';
import { cacheFiles } from './cache-files.ts';

let profile: string;
const cache = 'Default/Cache/Cache_Data';

beforeEach(() => {
  profile = mkdtempSync(join(tmpdir(), 'cache-'));
  mkdirSync(join(profile, cache), { recursive: true });
});
afterEach(() => rmSync(profile, { recursive: true }));

const hash = (digit: string) => digit.repeat(16);

function put(name: string, bytes: number, usedAt: number): void {
  const path = join(profile, cache, name);
  writeFileSync(path, Buffer.alloc(bytes));
  utimesSync(path, usedAt, 0);
}

async function chosen(maxBytes: number, ...names: string[]): Promise<string[]> {
  await using directory = await openDirectory(profile);
  const kept = await cacheFiles(directory, maxBytes);
  return names.filter((name) => kept.has(`${cache}/${name}`) && kept.mayHold(`${cache}/${name}`));
}

test('the entries that were used last are kept, each with all its files, as far as they fit', async () => {
  put(`${hash('a')}_0`, 10_000, 100);
  put(`${hash('a')}_1`, 10_000, 400);
  put(`${hash('b')}_0`, 30_000, 300);
  put(`${hash('c')}_0`, 30_000, 200);
  const names = [`${hash('a')}_0`, `${hash('a')}_1`, `${hash('b')}_0`, `${hash('c')}_0`];
  expect(await chosen(200_000, ...names)).toEqual(names);
  expect(await chosen(65_000, ...names)).toEqual(names.slice(0, 3));
  expect(await chosen(30_000, ...names)).toEqual(names.slice(0, 2));
});

test('nothing but entries is kept: no index, no link, nothing beside the cache', async () => {
  put('index', 24, 1);
  mkdirSync(join(profile, cache, 'index-dir'));
  writeFileSync(join(profile, 'secret'), 'of the host');
  symlinkSync(join(profile, 'secret'), join(profile, cache, `${hash('d')}_0`));
  const names = ['index', 'index-dir', `${hash('d')}_0`];
  expect(await chosen(200_000, ...names)).toEqual([]);
  await using directory = await openDirectory(profile);
  const kept = await cacheFiles(directory, 200_000);
  expect(['Default', cache, 'Default/Cookies', 'Local State'].map((path) => kept.mayHold(path))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a browser without a cache leaves an empty one', async () => {
  rmSync(join(profile, 'Default'), { recursive: true });
  expect(await chosen(200_000, `${hash('a')}_0`)).toEqual([]);
  symlinkSync('/tmp', join(profile, 'Default'));
  expect(await chosen(200_000, `${hash('a')}_0`)).toEqual([]);
});
