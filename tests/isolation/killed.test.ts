import { existsSync, readFileSync } from 'node:fs';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { describe, expect, it } from 'vitest';
import { processTable } from '../fixtures/process/process-table.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickWhere, testEach } from '../fixtures/suite/matrix.ts';
import { startHostProcess } from './host-process.ts';
import { groupOf, groupsOfHost, pidsOf, type SessionGroup } from './session-group.ts';
import { siteBehindProxy } from './site.ts';
import { startSteadyClient } from './steady-client.ts';

watchLeaks();

const site = siteBehindProxy();

const commandLine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8');
const alive = (pids: readonly number[]) => pids.filter((pid) => processTable().has(pid));

interface Kind {
  what: string;
  headless?: boolean;
  find(pids: readonly number[]): number | undefined;
}

const byCommand =
  (pattern: RegExp, nth = 0) =>
  (pids: readonly number[]) =>
    pids.filter((pid) => pattern.test(commandLine(pid))).at(nth);

const ending: Kind[] = [
  { what: 'the outer bubblewrap', find: byCommand(/^bwrap /) },
  { what: 'process 1 of the sandbox', find: byCommand(/^bwrap /, 1) },
  { what: 'the browser process', find: byCommand(/^\S*\/chromium --remote-debugging-pipe/) },
  { what: 'the display', headless: false, find: byCommand(/^Xtigervnc /) },
];

const hurting: Kind[] = [
  { what: 'a renderer', find: byCommand(/--type=renderer/) },
  { what: 'the GPU process', find: byCommand(/--type=gpu-process/) },
  { what: 'the network service', find: byCommand(/NetworkService/) },
  { what: 'the storage service', find: byCommand(/StorageService/) },
  { what: 'the zygote', find: byCommand(/--type=zygote(?!.*--no-zygote-sandbox)/) },
  { what: 'the unsandboxed zygote', find: byCommand(/--type=zygote --no-zygote-sandbox/) },
];

async function open(
  running: TestHost,
  headless: boolean,
): Promise<{ session: OpenedSession; group: SessionGroup }> {
  const session = await running.open(newRequest(site.proxy, { headless }));
  const client = await startSteadyClient(session.url, site.origin);
  await client.answers(3); // So that every process is there.
  await client.stop();
  return { session, group: groupOf(pidsOf('bwrap').at(-1) ?? 0) };
}

/** Kills one process and answers what there was of the session. */
function killOne({ what, find }: Kind, group: SessionGroup): number[] {
  const pids = group.processes().sort((a, b) => a - b);
  const victim = find(pids);
  if (victim === undefined) throw new Error(`there is no ${what} among\n${pids.map(commandLine).join('\n')}`);
  process.kill(victim, 'SIGKILL');
  return pids;
}

/** What was under way when the process died may fail; what is asked after that may not. */
async function stateOf(running: TestHost, url: string): Promise<'serves' | 'gone' | 'neither'> {
  if (running.ended.length > 0) return 'gone';
  try {
    const client = await startSteadyClient(url, site.origin, { patienceMs: 1000 });
    await client.answers(9);
    await client.stop();
    return 'serves';
  } catch {
    return 'neither';
  }
}

function remains(pids: readonly number[], group: SessionGroup): unknown[] {
  return [...alive(pids), ...group.directories.filter((path) => existsSync(path))];
}

/** In `npm test`, the first that is there and the display. */
const isQuick = ({ what }: Kind) => what === 'the outer bubblewrap' || what === 'the display';

describeEach(quickWhere(ending, isQuick))('SIGKILL of $what', (kind) => {
  testEach(
    kind.headless === undefined ? { quick: [true], slow: [false] } : { quick: [kind.headless], slow: [] },
  )('ends the session as gone and leaves nothing (headless: %s)', async (headless) => {
    await using running = await startTestHost();
    const before = mounts();
    const { session, group } = await open(running, headless);
    const pids = killOne(kind, group);
    await expect.poll(() => running.ended).toMatchObject([{ sessionId: session.sessionId, cause: 'gone' }]);
    await expect.poll(() => remains(pids, group)).toEqual([]);
    expect(mounts()).toBe(before);
  });
});

describeEach({ quick: hurting.slice(0, 1), slow: hurting.slice(1) })('SIGKILL of $what', (kind) => {
  it('leaves a session that serves on, or is gone', async () => {
    await using running = await startTestHost();
    const { session, group } = await open(running, true);
    const pids = killOne(kind, group);
    const outcome = await expect
      .poll(() => stateOf(running, session.url))
      .not.toBe('neither')
      .then(() => (running.ended.length > 0 ? 'gone' : 'serves'));
    console.info(JSON.stringify({ killed: kind.what, outcome }));
    await running.host.close(session.sessionId);
    await expect.poll(() => remains(pids, group)).toEqual([]);
  });
});

describe('SIGKILL of the host', () => {
  it('takes every browser and every control group with it', async () => {
    await using host = await startHostProcess();
    await Promise.all([true, false].map((headless) => host.open(newRequest(site.proxy, { headless }))));
    const pids = pidsOf('', host.pid);
    const groups = groupsOfHost(host.pid);
    expect(groups.length).toBeGreaterThan(0);
    expect(pids.length).toBeGreaterThan(20);
    await host.kill();
    const killedAt = performance.now();
    await expect.poll(() => alive(pids), { interval: 10 }).toEqual([]);
    const processesMs = Math.round(performance.now() - killedAt);
    await expect.poll(() => groupsOfHost(host.pid), { interval: 10 }).toEqual([]);
    console.info(
      JSON.stringify({ killed: 'the host', processesMs, all: Math.round(performance.now() - killedAt) }),
    );
  });
});
