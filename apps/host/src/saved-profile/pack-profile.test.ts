import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDirectory } from '../sandbox/open-directory.ts';
import { profileFiles } from './kept-files.ts';
import { ArchiveTooLarge, packProfile } from './pack-profile.ts';

let scratch: string;
let profile: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'pack-'));
  profile = join(scratch, 'profile');
  mkdirSync(join(profile, 'Default'), { recursive: true });
});
afterEach(() => rmSync(scratch, { recursive: true }));

function put(path: string, content: string | Buffer = path): void {
  mkdirSync(dirname(join(profile, path)), { recursive: true });
  writeFileSync(join(profile, path), content);
}

async function pack(maxBytes = 2 ** 20): Promise<Buffer> {
  await using directory = await openDirectory(profile);
  return await packProfile(directory, profileFiles, maxBytes, AbortSignal.timeout(10_000));
}

const tar = (input: Buffer, ...args: string[]) => execFileSync('tar', ['-xz', ...args], { input }).toString();
const files = (archive: Buffer) =>
  execFileSync('tar', ['-tz'], { input: archive })
    .toString()
    .split('\n')
    .filter((path) => path !== '' && !path.endsWith('/'));

test('what is saved comes back as it was, and nothing else is taken', async () => {
  const long = `Default/IndexedDB/https_${'a.'.repeat(80)}example_0.indexeddb.leveldb/000003.log`;
  const kept = [
    'Default/Cookies',
    'Default/Cookies-journal',
    long,
    'Default/Local Storage/leveldb/000003.log',
    'Default/WebStorage/12/IndexedDB/indexeddb.leveldb/CURRENT',
    'Default/WebStorage/QuotaManager',
  ];
  const left = [
    'Local State',
    'Default/Preferences',
    'Default/History',
    'Default/Cookies2',
    'Default/Login Data',
    'Default/Service Worker/ScriptCache/index',
    'Default/WebStorage/12/CacheStorage/index',
  ];
  for (const path of [...kept, ...left]) put(path);
  put('Default/Cookies', Buffer.alloc(100_000, 7));
  const archive = await pack();
  expect(files(archive).sort()).toEqual(kept.sort());
  expect(tar(archive, '-O', long)).toBe(long);
  expect(tar(archive, '-O', 'Default/Cookies')).toBe('\x07'.repeat(100_000));
});

test('no link is followed, and what is no file is not taken', async () => {
  const outside = join(scratch, 'outside');
  mkdirSync(join(outside, 'leveldb'), { recursive: true });
  writeFileSync(join(outside, 'leveldb/secret'), 'of the host');
  symlinkSync(outside, join(profile, 'Default/Local Storage'));
  symlinkSync(join(outside, 'leveldb/secret'), join(profile, 'Default/Cookies'));
  mkdirSync(join(profile, 'Default/IndexedDB'));
  symlinkSync(outside, join(profile, 'Default/IndexedDB/link'));
  execFileSync('mkfifo', [join(profile, 'Default/IndexedDB/pipe')]);
  expect(files(await pack())).toEqual([]);
  rmSync(join(profile, 'Default'), { recursive: true });
  symlinkSync(outside, join(profile, 'Default'));
  expect(files(await pack())).toEqual([]);
});

test('an archive that would be too large is given up', async () => {
  put('Default/Cookies', Buffer.from(Array.from({ length: 50_000 }, () => Math.random() * 256)));
  await expect(pack(40_000)).rejects.toBeInstanceOf(ArchiveTooLarge);
  expect(files(await pack(60_000))).toEqual(['Default/Cookies']);
});
