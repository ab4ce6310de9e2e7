// @module-tag slow

import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type Bomb, diskBombs, memoryBombs, processBombs } from './bombs.ts';
import { groupOf, groupsOfHost, pidsOf, type SessionGroup } from './session-group.ts';
import { siteBehindProxy } from './site.ts';
import { startSteadyClient } from './steady-client.ts';

watchLeaks({ wholeFile: true });

const site = siteBehindProxy();
const all = new AsyncDisposableStack();
let running: TestHost;
/** Beside every bomb the same one: it has to outlive them all. */
let otherSession: OpenedSession;

beforeAll(async () => {
  running = all.use(await startTestHost(caps));
  otherSession = await running.open(newRequest(site.proxy, { lifetimeMs: 600_000 }));
});
afterAll(async () => {
  await all.disposeAsync();
  expect(groupsOfHost(process.pid)).toEqual([]);
});

/** Small, so that a bomb meets them soon. */
const caps = { sessionMemoryBytes: 640 * 2 ** 20, sessionProcesses: 300 };
const bombMs = 30_000;
const pollMs = 20;
/** Opens a session, and sees its bounds in force before anything explodes. */
async function openCapped(): Promise<{ session: OpenedSession; group: SessionGroup }> {
  const before = new Set(pidsOf('bwrap'));
  const session = await running.open(newRequest(site.proxy, { lifetimeMs: 120_000 }));
  const group = groupOf(pidsOf('bwrap').find((pid) => !before.has(pid)) ?? 0);
  expect(group.directories.every((path) => path.includes('/turnpike-'))).toBe(true);
  expect([group.memoryCap(), group.processCap()]).toEqual([caps.sessionMemoryBytes, caps.sessionProcesses]);
  return { session, group };
}

const met: Record<string, (group: SessionGroup) => boolean> = {
  memory: (group) => group.memoryKills() > 0,
  processes: (group) => group.refusedForks() > 0 || group.memoryKills() > 0,
  disk: () => false, // Its call comes back when nothing more can be written.
};

interface Explosion {
  /** The highest use of the session's group that was seen. */
  memoryMiB: number;
  processes: number;
}

/** Until the bomb has met its bound, or has ended its session. */
async function explode(bomb: Bomb, kind: string, url: string, group: SessionGroup): Promise<Explosion> {
  const seen: Explosion = { memoryMiB: 0, processes: 0 };
  const browser = await chromium.connectOverCDP(url);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('no page');
  await page.goto(`${site.origin}/`);
  let through = false;
  const call = bomb.explode(page, site.origin).catch(() => {});
  if (kind === 'disk') void call.then(() => (through = true));
  const deadline = performance.now() + bombMs;
  while (!through && browser.isConnected()) {
    if (performance.now() > deadline) throw new Error('the bomb did not meet its bound');
    try {
      seen.memoryMiB = Math.max(seen.memoryMiB, Math.round(group.memoryBytes() / 2 ** 20));
      seen.processes = Math.max(seen.processes, group.processCount());
      if (met[kind]?.(group)) break;
    } catch {
      break; // The group is gone, with its session.
    }
    await delay(pollMs);
  }
  return seen;
}

/** Whether a new client is served: a session may be hurt beyond that, but must then still close. */
async function stateOf({ sessionId, url }: OpenedSession): Promise<string> {
  if (endOf(sessionId)) return 'gone';
  try {
    const client = await startSteadyClient(url, site.origin, { patienceMs: 2000 });
    await client.answers(3);
    await client.stop();
    return 'usable';
  } catch {
    return endOf(sessionId) ? 'gone' : 'hurt';
  }
}

const endOf = (sessionId: string) => running.ended.find((end) => end.sessionId === sessionId);

describe.each([
  ['memory', memoryBombs],
  ['processes', processBombs],
  ['disk', diskBombs],
])('a bomb of %s', (kind, bombs) => {
  // One of each kind shows the bound; the others show that no way around it was left.
  it.each(bombs)('($what) hurts or ends its own session alone, and leaves nothing', async (bomb) => {
    const { session, group } = await openCapped();
    // As often as a person would notice, and not as fast as it can: that would be a bomb of its own.
    const steady = await startSteadyClient(otherSession.url, site.origin, { pauseMs: 10 });
    const seen = await explode(bomb, kind, session.url, group);
    await steady.answers(30);
    const state = await stateOf(session);
    const delays = await steady.stop();
    console.info(JSON.stringify({ kind, bomb: bomb.what, session: state, ...seen, otherSession: delays }));
    expect(seen.processes).toBeLessThanOrEqual(caps.sessionProcesses);
    expect(seen.memoryMiB).toBeLessThanOrEqual(caps.sessionMemoryBytes / 2 ** 20);
    await running.host.close(session.sessionId);
    await expect.poll(() => group.directories.some((path) => existsSync(path))).toBe(false);
    // One that is hurt may go by itself in the meantime.
    expect(state === 'usable' ? ['closed'] : ['gone', 'closed']).toContain(endOf(session.sessionId)?.cause);
    expect(endOf(otherSession.sessionId)).toBeUndefined();
  });
});
