import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';
import { filesOf, knownSettings, read, root } from './files.ts';

watchLeaks();

const run = promisify(execFile);
const command = join(root, 'apps/cli/src/main.ts');
const parts = ['up', 'gateway', 'host', 'proxy'];
const unitOf = (part: string) => (part === 'up' ? 'turnpike' : `turnpike-${part}`);
const settingsOf = (part: string) => (part === 'up' ? 'turnpike' : part);

async function install(...args: string[]): Promise<string> {
  return (await run(process.execPath, [command, 'install', ...args])).stdout;
}

test('an installation says what it wrote, and leaves settings that are there alone', async () => {
  await using scratch = await scratchDirectory('install');
  const prefix = ['--prefix', scratch.path];
  expect(await install('host', '--dry-run', ...prefix)).toMatch(/^would be written: /);
  expect(existsSync(join(scratch.path, 'etc'))).toBe(false);

  const first = await install('host', ...prefix);
  const unit = join(scratch.path, 'etc/systemd/system/turnpike-host.service');
  const settings = join(scratch.path, 'etc/turnpike/host.env');
  expect(first).toContain(`written: ${unit}\nwritten: ${settings}\n`);
  expect(first).toContain('systemctl enable --now turnpike-host');
  expect((await stat(settings)).mode & 0o777).toBe(0o600);
  expect(await readFile(unit, 'utf8')).not.toMatch(/@[A-Z]+@/);

  await writeFile(settings, 'TURNPIKE_HOST_NAME=mine\n');
  await writeFile(unit, 'of another version\n');
  const again = await install('host', ...prefix);
  expect(again).toContain(`replaced: ${unit}\nkept: ${settings}\nunchanged: `);
  expect(await readFile(settings, 'utf8')).toBe('TURNPIKE_HOST_NAME=mine\n');
});

test('the command that is installed runs', async () => {
  await using scratch = await scratchDirectory('install');
  await install('--prefix', scratch.path);
  const { stdout } = await run(join(scratch.path, 'usr/local/bin/turnpike'), ['help', 'install']);
  expect(stdout).toContain('systemd unit');
});

test('every setting in the files for systemd is one that a part reads', () => {
  const known = knownSettings();
  const named = filesOf('deploy/systemd/*.env').flatMap((path) =>
    Array.from(read(path).matchAll(/^#?([A-Z_]+)=/gm), ([, name = '']) => name),
  );
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
});

describe.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd-analyze', () => {
  testEach({ quick: parts.slice(0, 1), slow: parts.slice(1) })(
    'takes the unit of %s, as exposed as the documents say and no more',
    async (part) => {
      await using scratch = await scratchDirectory('install');
      await install(part, '--prefix', scratch.path);
      expect(existsSync(join(scratch.path, 'etc/turnpike', `${settingsOf(part)}.env`))).toBe(true);
      const unit = join(scratch.path, 'etc/systemd/system', `${unitOf(part)}.service`);
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]);
      expect(stderr).toBe('');
      const { stdout } = await run('systemd-analyze', ['security', '--offline=yes', '--no-pager', unit]);
      const exposure = Number(/Overall exposure level for .*: ([\d.]+)/.exec(stdout)?.[1]);
      const [, figure] =
        new RegExp(`^\\| \`${unitOf(part)}\`.*\\| ([\\d.]+) \\|$`, 'm').exec(read('docs/deployment.md')) ??
        [];
      expect(exposure).toBeLessThanOrEqual(Number(figure));
    },
  );
});
