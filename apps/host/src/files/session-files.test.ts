import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SessionFiles } from './session-files.ts';

let home: string;
let files: SessionFiles;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'files-'));
  mkdirSync(join(home, 'files'));
  files = new SessionFiles(async () => join(home, 'files'), undefined);
});
afterEach(() => rmSync(home, { recursive: true }));

const names = async () => (await files.list()).map(({ name }) => name);

test('what is written can be read, listed and removed', async () => {
  await files.write('a b.txt', Readable.from([Buffer.from('one'), Buffer.from('two')]));
  expect(await files.list()).toMatchObject([{ name: 'a b.txt', bytes: 6 }]);
  await files.write('a b.txt', Readable.from([Buffer.from('three')]));
  const { handle } = await files.read('a b.txt');
  expect(await handle.readFile('utf8')).toBe('three');
  await handle.close();
  await files.remove('a b.txt');
  expect(await names()).toEqual([]);
});

test('a link is not followed: not to read, not to list, and what is written takes its place', async () => {
  const secret = join(home, 'secret');
  writeFileSync(secret, 'of the host');
  chmodSync(secret, 0o600);
  symlinkSync(secret, join(home, 'files', 'link'));
  expect(await names()).toEqual([]);
  await expect(files.read('link')).rejects.toMatchObject({ status: 404 });
  await files.write('link', Readable.from([Buffer.from('mine')]));
  expect(await names()).toEqual(['link']);
  const { handle } = await files.read('link');
  expect(await handle.readFile('utf8')).toBe('mine');
  await handle.close();
});

test('a directory that became a link is no directory', async () => {
  renameSync(join(home, 'files'), join(home, 'elsewhere'));
  symlinkSync('/etc', join(home, 'files'));
  await expect(files.list()).rejects.toMatchObject({ status: 404 });
  await expect(files.read('passwd')).rejects.toMatchObject({ status: 404 });
  await expect(files.write('x', Readable.from([]))).rejects.toMatchObject({ status: 404 });
});

test('a directory, a pipe and a name with a slash are no files', async () => {
  mkdirSync(join(home, 'files', 'folder'));
  await expect(files.read('folder')).rejects.toMatchObject({ status: 404 });
  for (const name of ['../secret', 'a/b', '..', '.', '', 'a\0b', 'x'.repeat(201), '.upload-1']) {
    await expect(files.read(name)).rejects.toMatchObject({ status: 400 });
  }
});

test('an upload that is cut off leaves nothing', async () => {
  const cut = new Readable({
    read() {
      this.push(Buffer.alloc(10));
      this.destroy(new Error('hung up'));
    },
  });
  await expect(files.write('half', cut)).rejects.toMatchObject({ status: 400 });
  expect(await names()).toEqual([]);
});
