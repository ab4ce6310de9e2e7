import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { base64Of, fileIn } from './base64.ts';
import { unpack, WrongZip, zipOf } from './zip.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'turnpike-zip-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function collected(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(parts));
}

/** Cuts bytes into chunks of a few sizes. */
async function* chunksOf(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Archives by Python's module, which can write each kind. */
function pythonZip(name: string, entries: Record<string, string>, method = 'ZIP_DEFLATED'): string {
  const path = join(directory, name);
  const lines = Object.entries(entries).map(
    ([entry, text]) => `z.writestr(${JSON.stringify(entry)}, ${JSON.stringify(text)})`,
  );
  const program = [
    'import zipfile, sys',
    `z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.${method})`,
    ...lines,
    'z.close()',
  ];
  execFileSync('python3', ['-c', program.join('\n'), path]);
  return path;
}

test('a body’s file is decoded whatever its chunks are, with line breaks and escaped slashes', async () => {
  const content = randomBytes(1000);
  const encoded = content.toString('base64');
  const bodies = [
    JSON.stringify({ file: encoded }),
    `{ "id": 1, "file" : "${encoded.replaceAll('/', '\\/')}", "more": "x" }`,
    JSON.stringify({ file: encoded.replaceAll(/(.{60})/g, '$1\n') }),
  ];
  for (const body of bodies) {
    for (const sizes of [[1], [7, 3], [10_000]])
      expect(await collected(fileIn(chunksOf(Buffer.from(body), sizes)))).toEqual(content);
  }
  await expect(collected(fileIn(chunksOf(Buffer.from('{"file":7}'), [3])))).rejects.toThrow('`file`');
  await expect(collected(fileIn(chunksOf(Buffer.from('{"file":"QUJ'), [3])))).rejects.toThrow('`file`');
});

test('stored and deflated files and a directory are unpacked, and nothing outside', async () => {
  for (const method of ['ZIP_STORED', 'ZIP_DEFLATED']) {
    const target = join(directory, method);
    mkdirSync(target);
    const text = 'text '.repeat(1000);
    expect(await unpack(pythonZip('one.zip', { 'a.txt': text }, method), target)).toBe('a.txt');
    expect(readFileSync(join(target, 'a.txt'), 'latin1')).toBe(text);
    expect(await unpack(pythonZip('two.zip', { 'd/b': 'b', 'd/e/c': '' }, method), target)).toBe('d');
    expect(readFileSync(join(target, 'd/e/c'), 'latin1')).toBe('');
  }
  const wrong: Record<string, string>[] = [
    { '../x': 'x' },
    { '/etc/x': 'x' },
    { 'a/../../x': 'x' },
    { a: '', b: '' },
    {},
  ];
  for (const entries of wrong)
    await expect(unpack(pythonZip('wrong.zip', entries), directory)).rejects.toThrow(WrongZip);
  await expect(unpack(pythonZip('bz.zip', { a: 'a' }, 'ZIP_BZIP2'), directory)).rejects.toThrow(WrongZip);
  writeFileSync(join(directory, 'noise'), randomBytes(5000));
  await expect(unpack(join(directory, 'noise'), directory)).rejects.toThrow(WrongZip);
});

test('an archive that is sent can be read by others', async () => {
  const content = randomBytes(200_001);
  writeFileSync(join(directory, 'source'), content);
  const encoded = (await Array.fromAsync(base64Of(zipOf(join(directory, 'source'), 'ä.bin')))).join('');
  writeFileSync(join(directory, 'sent.zip'), Buffer.from(encoded, 'base64'));
  execFileSync('python3', ['-m', 'zipfile', '-e', join(directory, 'sent.zip'), join(directory, 'out')]);
  expect(readFileSync(join(directory, 'out/ä.bin'))).toEqual(content);
});
