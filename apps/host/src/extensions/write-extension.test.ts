import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { ExtensionFile } from '@turnpike/contract/host';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Browser } from '../chromium/browser.ts';
import { loadExtensions } from './load-extensions.ts';
import { writeExtension } from './write-extension.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnpike-extension-'));
});
afterEach(() => rm(directory, { recursive: true }));

const file = (path: string, text: string, more: Partial<ExtensionFile> = {}): ExtensionFile => ({
  path,
  bytes: text.length,
  isDeflated: true,
  content: deflateRawSync(text).toString('base64'),
  ...more,
});
async function write(...files: ExtensionFile[]): Promise<void> {
  await using handle = await open(directory);
  await writeExtension(handle, { files }, undefined);
}

it('writes files in directories, packed and not', async () => {
  const large = 'x'.repeat(3 * 2 ** 20);
  const plain = Buffer.from('plain').toString('base64');
  await write(
    ...[file('a/b/c.js', 'one'), file('a/d.js', large), file('empty', '')],
    file('plain', 'plain', { isDeflated: false, content: plain }),
  );
  expect(await readFile(join(directory, 'a/b/c.js'), 'utf8')).toBe('one');
  expect((await readFile(join(directory, 'a/d.js'))).length).toBe(large.length);
  expect(await readFile(join(directory, 'empty'), 'utf8')).toBe('');
  expect(await readFile(join(directory, 'plain'), 'utf8')).toBe('plain');
});

it.each(['../out', '/etc/out', 'a/../../out', 'a//b', './a', 'a/', '', '.', '..', 'a\0b'])(
  'refuses the path %j',
  async (path) => {
    await expect(write(file(path, 'x'))).rejects.toThrow('a path leads out of it');
  },
);

it('refuses a file that is not as large as it says, and one that is there', async () => {
  await expect(write(file('bomb', 'x'.repeat(1000), { bytes: 10 }))).rejects.toThrow();
  await expect(write(file('short', 'x', { bytes: 10 }))).rejects.toThrow('a file is damaged');
  await writeFile(join(directory, 'there'), 'before');
  await expect(write(file('there', 'after'))).rejects.toThrow('EEXIST');
  expect(await readFile(join(directory, 'there'), 'utf8')).toBe('before');
});

it('loads nothing into a browser without a sandbox, which has no policies', async () => {
  const fresh = { browser: { isSandboxed: false } as Browser, uid: undefined };
  await expect(loadExtensions(fresh, [], new AbortController().signal)).rejects.toMatchObject({
    code: 'EXTENSION_FAILED',
  });
});
