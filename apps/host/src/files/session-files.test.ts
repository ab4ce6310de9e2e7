import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDescriptors } from '../../../../tests/fixtures/process/open-descriptors.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { openDirectory } from '../sandbox/open-directory.ts';
import { maxTransfers } from './file-error.ts';
import { SessionFiles } from './session-files.ts';

watchLeaks();

const isRoot = process.getuid?.() === 0;
/** A user id that no account of this machine has. */
const uid = isRoot ? 299_999 : undefined;

let home: string;
let directory: string;
let files: SessionFiles;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'files-'));
  chmodSync(home, 0o755);
  directory = join(home, 'files');
  mkdirSync(directory);
  if (uid !== undefined) chownSync(directory, uid, uid);
  files = new SessionFiles({ open: () => openDirectory(directory), uid });
});
afterEach(() => rmSync(home, { recursive: true }));

const names = async () => (await files.list()).map(({ name }) => name);
const chunks = (...parts: string[]) => Readable.from(parts.map((part) => Buffer.from(part)));
const readText = async (name: string) => text((await files.read(name)).content);

/** An upload that began and never goes on. */
function stalled(name: string, from = files): { content: PassThrough; written: Promise<void> } {
  const content = new PassThrough();
  content.write('the first of it');
  const written = from.write(name, content);
  written.catch(() => {}); // Looked at by who asks.
  return { content, written };
}

const untilPartial = () =>
  expect.poll(() => readdirSync(directory).some((name) => name.startsWith('.upload-'))).toBe(true);

const openPaths = () => [...openDescriptors().values()];

test('what is written can be read, listed and removed', async () => {
  await files.write('a b.txt', chunks('one', 'two'));
  expect(await files.list()).toMatchObject([{ name: 'a b.txt', bytes: 6 }]);
  await files.write('a b.txt', chunks('three'));
  expect(await readText('a b.txt')).toBe('three');
  await files.remove('a b.txt');
  expect(await names()).toEqual([]);
});

test.runIf(isRoot)("what is written is the session's own user's", async () => {
  await files.write('mine', chunks('content'));
  const { uid: owner, gid, mode } = statSync(join(directory, 'mine'));
  expect([owner, gid, mode & 0o777]).toEqual([uid, uid, 0o600]);
});

test.runIf(isRoot)("the host does nothing there that the session's user may not", async () => {
  writeFileSync(join(directory, 'of the host'), 'secret', { mode: 0o600 });
  await expect(files.read('of the host')).rejects.toMatchObject({ status: 404 });
  chownSync(directory, 0, 0);
  await expect(files.write('x', chunks('y'))).rejects.toMatchObject({ status: 500 });
  await expect(files.remove('of the host')).rejects.toMatchObject({ status: 404 });
  expect(readdirSync(directory)).toEqual(['of the host']);
});

test('a link is not followed: not to read, not to list, and what is written takes its place', async () => {
  const secret = join(home, 'secret');
  writeFileSync(secret, 'of the host');
  symlinkSync(secret, join(directory, 'link'));
  expect(await names()).toEqual([]);
  await expect(files.read('link')).rejects.toMatchObject({ status: 404 });
  await files.write('link', chunks('mine'));
  expect(await names()).toEqual(['link']);
  expect(await readText('link')).toBe('mine');
  expect(readFileSync(secret, 'utf8')).toBe('of the host');
});

test('a directory that became a link is no directory', async () => {
  renameSync(directory, join(home, 'elsewhere'));
  symlinkSync('/etc', directory);
  await expect(files.list()).rejects.toMatchObject({ status: 404 });
  await expect(files.read('passwd')).rejects.toMatchObject({ status: 404 });
  await expect(files.write('x', chunks())).rejects.toMatchObject({ status: 404 });
});

test('a directory, a pipe and a name with a slash are no files', async () => {
  mkdirSync(join(directory, 'folder'));
  await expect(files.read('folder')).rejects.toMatchObject({ status: 404 });
  await expect(files.remove('folder')).rejects.toMatchObject({ status: 404 });
  for (const name of ['../secret', 'a/b', '..', '.', '', 'a\0b', 'x'.repeat(201), '.upload-1']) {
    await expect(files.read(name)).rejects.toMatchObject({ status: 400 });
  }
});

test('an upload that is cut off leaves nothing, and what had its name stays', async () => {
  await files.write('half', chunks('whole'));
  const { content, written } = stalled('half');
  await untilPartial();
  expect(await readText('half')).toBe('whole');
  content.destroy();
  await expect(written).rejects.toMatchObject({ status: 400 });
  expect(readdirSync(directory)).toEqual(['half']);
  expect(await readText('half')).toBe('whole');
});

test('an upload that fails before it begins leaves nothing', async () => {
  const gone = new PassThrough();
  gone.destroy();
  await expect(files.write('gone', gone)).rejects.toMatchObject({ status: 400 });
  expect(readdirSync(directory)).toEqual([]);
});

test('an upload that stalls is given up, and leaves nothing', async () => {
  const impatient = new SessionFiles({ open: () => openDirectory(directory), uid, stallMs: 50 });
  const { content, written } = stalled('slow', impatient);
  await expect(written).rejects.toMatchObject({ status: 408 });
  expect(readdirSync(directory)).toEqual([]);
  expect(content.destroyed).toBe(false); // Its sender can be told why.
});

test('more at once than a session may have are refused, and there is room when they are through', async () => {
  const uploads = Array.from({ length: maxTransfers }, (_, index) => stalled(`upload ${index}`));
  await expect(files.write('one more', chunks('x'))).rejects.toMatchObject({ status: 429 });
  await expect(files.read('upload 0')).rejects.toMatchObject({ status: 429 });
  for (const { content } of uploads) content.end();
  await Promise.all(uploads.map(({ written }) => written));
  await files.write('one more', chunks('x'));
  expect(await names()).toHaveLength(maxTransfers + 1);
});

test('a file that is announced as larger than the room there is is refused before any of it is taken', async () => {
  const content = new PassThrough();
  await expect(files.write('huge', content, 2 ** 60)).rejects.toMatchObject({ status: 413 });
  expect(content.listenerCount('data')).toBe(0);
  expect(readdirSync(directory)).toEqual([]);
});

test('when the session ends, uploads and downloads are broken off and nothing of it stays open', async () => {
  writeFileSync(join(directory, 'large'), Buffer.alloc(2 ** 20));
  if (uid !== undefined) chownSync(join(directory, 'large'), uid, uid);
  const { content } = await files.read('large'); // Nobody reads it.
  const { written } = stalled('half');
  await untilPartial();
  await files.close();
  await expect(written).rejects.toMatchObject({ status: 410 });
  expect(content.destroyed).toBe(true);
  expect(readdirSync(directory)).toEqual(['large']);
  expect(openPaths().filter((path) => path.startsWith(home))).toEqual([]);
  await expect(files.list()).rejects.toMatchObject({ status: 410 });
});
