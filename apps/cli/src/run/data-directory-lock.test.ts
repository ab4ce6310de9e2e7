import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testEach } from '../../../../tests/fixtures/suite/matrix.ts';
import { lockDataDirectory } from './data-directory-lock.ts';

const main = join(import.meta.dirname, '../main.ts');

function scratch() {
  const path = mkdtempSync(join(tmpdir(), 'lock-'));
  return { path: join(path, 'data'), [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

testEach({ quick: ['up'], slow: ['gateway'] })(
  'a second start on one data directory, by %s, refuses with a sentence that says what to do',
  async (command) => {
    using directory = scratch();
    using _lock = lockDataDirectory(directory.path);
    expect(statSync(join(directory.path, 'turnpike.lock')).mode & 0o777).toBe(0o600);
    expect(() => lockDataDirectory(directory.path)).toThrow('Turnpike runs on');
    const env = { PATH: process.env['PATH'], TURNPIKE_DATA_DIR: directory.path };
    const child = spawn(process.execPath, [main, command], {
      env: { ...env, TURNPIKE_CLUSTER_SECRET: 'x'.repeat(32) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    expect([command, code]).toEqual([command, 1]);
    expect(said).toContain(`TURNPIKE_DATA_DIR is in use: Turnpike runs on ${directory.path} already.`);
    expect(said).not.toContain('    at ');
  },
);

test('the directory is free again when its process is killed', async () => {
  using directory = scratch();
  const program = `
    import { lockDataDirectory } from ${JSON.stringify(join(import.meta.dirname, 'data-directory-lock.ts'))};
    globalThis.lock = lockDataDirectory(${JSON.stringify(directory.path)});
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  expect(() => lockDataDirectory(directory.path)).toThrow('is in use');
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDataDirectory(directory.path)[Symbol.dispose]();
});
