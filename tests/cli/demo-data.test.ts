import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { lockDataDirectory } from '../../apps/cli/src/run/data-directory-lock.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const root = join(import.meta.dirname, '../..');

/** Runs a script on a store of its own; what it printed, and how it ended. */
async function run(directory: string, script: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, TURNPIKE_DATA_DIR: directory };
  const ran = promisify(execFile)(process.execPath, [join(root, script), ...args], { env });
  return ran.then(
    ({ stdout }) => stdout,
    ({ code, stderr }) => `exit ${code}: ${stderr}`,
  );
}

test('demo data fills an empty store, under a password of its own, and only once', {
  tags: 'slow',
}, async () => {
  await using first = await scratchDirectory('demo');
  await using second = await scratchDirectory('demo');
  const printed = await run(first.path, 'scripts/demo/demo-data.ts');
  expect(printed).toContain(`filled ${join(first.path, 'turnpike.sqlite')}`);
  const passwordOf = (text: string) => /password (\S{16,})$/m.exec(text)?.[1];
  expect(passwordOf(printed)).toBeDefined();
  expect(passwordOf(await run(second.path, 'scripts/demo/demo-data.ts'))).not.toBe(passwordOf(printed));
  expect(await run(first.path, 'scripts/demo/demo-data.ts')).toContain('has the demo data already');
});

test('demo data refuses a store that is not empty or in use, and names it', async () => {
  await using directory = await scratchDirectory('demo');
  const create = ['account', 'create', '--email', 'ann@example.com', '--name', 'Ann'];
  expect(await run(directory.path, 'apps/cli/src/main.ts', ...create)).toContain('ann@example.com');
  const refused = await run(directory.path, 'scripts/demo/demo-data.ts');
  expect(refused).toContain('exit 1');
  expect(refused).toContain(`${directory.path}/turnpike.sqlite is not empty: it has rows in accounts`);
  expect(await run(directory.path, 'apps/cli/src/main.ts', 'account', 'list')).not.toContain('globex');

  await using used = await scratchDirectory('demo');
  using _lock = lockDataDirectory(used.path);
  expect(await run(used.path, 'scripts/demo/demo-data.ts')).toContain(
    `is in use: Turnpike runs on ${used.path}`,
  );
});
