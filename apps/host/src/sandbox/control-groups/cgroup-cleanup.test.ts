import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { watchLeaks } from '../../../../../tests/fixtures/suite/leaks.ts';
import { ControlGroup } from './control-group.ts';

watchLeaks();

const isRoot = process.getuid?.() === 0;
const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
const mountOf = (type: string, option = ''): string | undefined =>
  mounts
    .find((line) => line.includes(` - ${type} `) && ` ${line.split(' ').at(-1)},`.includes(option))
    ?.split(' ')[4];

/** A tree of each version that this user may change. */
const trees = Object.entries({ 1: mountOf('cgroup', 'pids,'), 2: mountOf('cgroup2') })
  .flatMap(([version, root]) => (isRoot && root ? [{ version, root }] : []))
  .filter(({ root }) => existsSync(`${root}/cgroup.procs`));

/** A program that starts the cleanup from inside a group and is then killed, as a host is. */
const program = `
  const { writeFileSync } = await import('node:fs');
  const { startCgroupCleanup } = await import(process.argv[1]);
  writeFileSync(process.argv[2] + '/cgroup.procs', String(process.pid));
  startCgroupCleanup([process.argv[3]]);
  console.log('started');
  setInterval(() => {}, 1000);`;

async function startIn(group: string): Promise<ChildProcess> {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  await once(child, 'spawn');
  writeFileSync(`${group}/cgroup.procs`, String(child.pid));
  return child;
}

test.each(trees)(
  'a killed host leaves no group in version $version, however they are nested',
  async ({ root }) => {
    const parent = `${root}/test-cleanup-${process.pid}`;
    const prefix = `${parent}/turnpike-1-1-`;
    for (const name of ['turnpike-host', 'turnpike-1-1-1/deep/deeper', 'turnpike-1-1-2', 'turnpike-1-1-12'])
      mkdirSync(`${parent}/${name}`, { recursive: true });
    const browsers = await Promise.all(
      ['1/deep/deeper', '1', '12'].map((name) => startIn(`${prefix}${name}`)),
    );
    const module = new URL('./cgroup-cleanup.ts', import.meta.url).href;
    const args = ['--input-type=module', '-e', program, module, `${parent}/turnpike-host`, prefix];
    const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(host.stdout, 'data');
    // Another host with a session: the group that both would be in stays until that is gone.
    mkdirSync(`${parent}/turnpike-2-2-1`);
    const ended = browsers.map((child) => once(child, 'exit'));
    host.kill('SIGKILL');
    await Promise.all(ended);
    const left = () => readdirSync(parent).filter((name) => name.startsWith('turnpike-'));
    await expect.poll(() => left().sort()).toEqual(['turnpike-2-2-1', 'turnpike-host']);
    // Its cleanup has ended and is not the one that removes the rest.
    await expect.poll(() => readFileSync(`${parent}/turnpike-host/cgroup.procs`, 'utf8')).toBe('');
    rmdirSync(`${parent}/turnpike-2-2-1`);

    const again = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(again.stdout, 'data');
    again.kill('SIGKILL');
    await expect.poll(left).toEqual([]);
    // The cleanup itself was the last one there.
    await expect.poll(() => tryRemove(parent)).toBe(true);
  },
);

test.each(trees.filter(({ version }) => version === '2'))(
  'two hosts that are killed at once leave no group in version $version',
  async ({ root }) => {
    const parent = `${root}/test-cleanups-${process.pid}`;
    mkdirSync(`${parent}/turnpike-host`, { recursive: true });
    const module = new URL('./cgroup-cleanup.ts', import.meta.url).href;
    const hosts = [1, 2].map((number) => {
      const prefix = `${parent}/turnpike-${number}-${number}-`;
      const args = ['--input-type=module', '-e', program, module, `${parent}/turnpike-host`, prefix];
      return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    });
    await Promise.all(hosts.map((host) => once(host.stdout, 'data')));
    for (const host of hosts) host.kill('SIGKILL');
    await expect.poll(() => tryRemove(parent)).toBe(true);
  },
);

test.each(trees)('an orphan is removed with what is below it, in version $version', async ({ root }) => {
  const group = `${root}/test-orphan-${process.pid}`;
  mkdirSync(`${group}/deep/deeper`, { recursive: true });
  mkdirSync(`${group}/wide`);
  const browsers = await Promise.all([`${group}/deep/deeper`, group].map(startIn));
  const ended = browsers.map((child) => once(child, 'exit'));
  await new ControlGroup([group]).remove();
  await Promise.all(ended);
  expect(existsSync(group)).toBe(false);
});

function tryRemove(directory: string): boolean {
  try {
    rmdirSync(directory);
  } catch {
    return false;
  }
  return true;
}
