import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from './make-directory.ts';

test('a directory is made with those above it, for its owner alone, and may be there', () => {
  const root = mkdtempSync(join(tmpdir(), 'make-directory-'));
  try {
    const path = join(root, 'a', 'b');
    makeDirectory(path);
    makeDirectory(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    writeFileSync(join(root, 'file'), '');
    expect(() => makeDirectory(join(root, 'file'))).toThrow('EEXIST');
    expect(() => makeDirectory(join(root, 'file', 'below'))).toThrow(/ENOTDIR|EEXIST/);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a directory that cannot be made is an error, not a loop without end', () => {
  expect(() => makeDirectory('/proc/nowhere/at/all')).toThrow('ENOENT');
});
