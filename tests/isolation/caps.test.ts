import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControlGroups } from '../../apps/host/src/sandbox/control-groups/control-groups.ts';
import { type Sandbox, startSandbox } from '../../apps/host/src/sandbox/sandbox.ts';
import { limitsWithin } from '../../apps/host/src/sandbox/sandbox-arguments.ts';
import { PlainSwitchboard } from '../../apps/host/src/switchboard/plain-switchboard.ts';
import type { PipeEnds } from '../../apps/host/src/switchboard/switchboard.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { groupOf, groupsOfHost, type SessionGroup } from './session-group.ts';

watchLeaks();

const mebibyte = 2 ** 20;
const caps = { memoryBytes: 256 * mebibyte, processes: 64 };
const groups = ControlGroups.find(caps);
/** Its pipes are streams. */
const switchboard = new PlainSwitchboard({ onError: (error) => console.error(error) });
const uid = process.getuid?.() === 0 ? 209_000 : undefined;
let running: AsyncDisposableStack;

beforeEach(() => {
  running = new AsyncDisposableStack();
});
afterEach(async () => {
  await running.disposeAsync();
  expect(groupsOfHost(process.pid)).toEqual([]);
});

interface Running {
  sandbox: Sandbox;
  group: SessionGroup;
  /** What it has written so far. */
  output(): string;
  says(word: string): Promise<void>;
  tell(line: string): void;
}

/** A shell in place of a browser: it hears on descriptor 3 and speaks on 4. */
async function startShell(script: string): Promise<Running> {
  const group = groups.create();
  const sandbox = startSandbox(
    {
      prepare: [],
      command: ['/usr/bin/sh', '-c', `echo up >&4; ${script}`],
      display: false,
      uid,
      createPipe: () => switchboard.createPipe(),
    },
    { group, limits: limitsWithin(caps.memoryBytes), interfaces: false },
  );
  running.defer(() => sandbox.kill());
  const { output: spoken, input: heard } = sandbox.devtools as Record<keyof PipeEnds, Duplex>;
  running.defer(() => void spoken.destroy());
  running.defer(() => void heard.destroy());
  heard.on('error', () => {}); // It is killed while it is told something.
  let output = '';
  spoken.on('data', (chunk) => {
    output += chunk;
  });
  const says = async (word: string) => {
    while (!output.includes(word)) await once(spoken, 'data');
  };
  await says('up');
  const [pid = 0] = group.processes();
  const started = { sandbox, group: groupOf(pid), output: () => output, says };
  // No bomb goes off before its bounds are seen to be in force.
  expect(started.group.memoryCap()).toBe(caps.memoryBytes);
  expect(started.group.processCap()).toBe(caps.processes);
  return { ...started, tell: (line) => void heard.write(`${line}\n`) };
}

const echoing = 'while read -r line <&3; do echo "$line" >&4; done';
const onceTold = (command: string) => `read -r go <&3; ${command}`;

describe('a session', () => {
  it('has every process of its sandbox in the group, bubblewrap included, and weighs half of an ordinary one', async () => {
    const shell = await startShell(echoing);
    const [outer = 0] = shell.group.processes();
    expect(readFileSync(`/proc/${outer}/cmdline`, 'latin1')).toMatch(/^bwrap/);
    expect(shell.group.processes().length).toBeGreaterThanOrEqual(3);
    expect(shell.group.cpuWeight()).toBe(groups.version === 1 ? 512 : 50);
    expect(shell.group.directories.every((path) => /\/turnpike-\d+-\d+-\d+$/.test(path))).toBe(true);
    const score = (pid: number | 'self') => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'latin1'));
    expect(score(outer)).toBe(Math.min(1000, score('self') + 200));
  });

  it('pays for its scratch with its memory, and finds it full before that is', async () => {
    const fill =
      'for place in ~ /tmp /dev/shm; do cat /dev/zero >$place/zeros; done 2>/dev/null; echo full >&4;';
    const shell = await startShell(onceTold(`${fill} ${echoing}`));
    const before = shell.group.memoryBytes();
    shell.tell('go');
    await shell.says('full');
    const grown = shell.group.memoryBytes() - before;
    expect(grown).toBeGreaterThan(100 * mebibyte);
    expect(grown).toBeLessThanOrEqual(140 * mebibyte);
    shell.tell('still here');
    await shell.says('still here');
  });
});

describe('another session answers, and all is gone afterwards, while a session', () => {
  /** Asks on until the bomb has met its cap; answers how many times. */
  async function askUntil(other: Running, reached: () => boolean, timeoutMs = 15_000): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    let asked = 0;
    while (!reached()) {
      if (performance.now() > deadline) throw new Error('the bomb did not meet its cap');
      asked += 1;
      other.tell(`answer ${asked}.`);
      await other.says(`answer ${asked}.`);
      await delay(1);
    }
    return asked;
  }

  it('forks without end', async () => {
    const other = await startShell(echoing);
    const bomb = await startShell(onceTold('f() { f | f & }; f; sleep 60'));
    bomb.tell('go');
    await askUntil(other, () => bomb.group.refusedForks() > 0);
    expect(bomb.group.processCount()).toBeLessThanOrEqual(caps.processes);
    const startedAt = performance.now();
    await bomb.sandbox.kill();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(bomb.group.directories.some((path) => existsSync(path))).toBe(false);
    await askUntil(other, () => true);
  });

  it('eats memory without end', async () => {
    const other = await startShell(echoing);
    const bomb = await startShell(onceTold('while :; do tail /dev/zero; echo killed >&4; done'));
    bomb.tell('go');
    await askUntil(other, () => bomb.output().split('killed').length > 3);
    expect(bomb.group.memoryKills()).toBeGreaterThan(0);
    expect(bomb.group.memoryBytes()).toBeLessThanOrEqual(caps.memoryBytes);
  });
});

describe('what a dead host left', () => {
  it('is ended and removed, and what a living one has is not', async () => {
    const living = await startShell(echoing);
    const dead = await startShell(echoing);
    const orphaned = dead.group.directories.map((path) =>
      path.replace(/turnpike-\d+-\d+/, 'turnpike-4194304-1'),
    );
    for (const path of orphaned) mkdirSync(path);
    for (const pid of dead.group.processes())
      for (const path of orphaned) writeFileSync(`${path}/cgroup.procs`, `${pid}`);
    await groups.removeOrphans();
    await dead.sandbox.exited;
    expect(orphaned.some((path) => existsSync(path))).toBe(false);
    living.tell('still here');
    await living.says('still here');
  });
});
