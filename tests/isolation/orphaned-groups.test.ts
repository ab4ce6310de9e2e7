// @module-tag slow
import { newRequest } from '@turnpike/host/testing/test-host';
import { expect, test } from 'vitest';
import { processTable } from '../fixtures/process/process-table.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { startHostProcess } from './host-process.ts';
import { groupsOfHost, pidsOf } from './session-group.ts';
import { siteBehindProxy } from './site.ts';

watchLeaks();

const site = siteBehindProxy();

const alive = (pids: readonly number[]) => pids.filter((pid) => processTable().has(pid));

/** Alone, because any host that starts removes what it finds. */
test('a host that is killed with all that it started leaves groups that the next host removes', async () => {
  const first = await startHostProcess();
  await first.open(newRequest(site.proxy));
  const pids = pidsOf('', first.pid);
  for (const pid of pidsOf('sh', first.pid)) process.kill(pid, 'SIGKILL');
  await first.kill();
  await expect.poll(() => alive(pids)).toEqual([]);
  expect(groupsOfHost(first.pid).length).toBeGreaterThan(0);
  await using second = await startHostProcess();
  expect(groupsOfHost(first.pid)).toEqual([]);
  await expect.poll(() => second.logs()).toContain('removed what an earlier host left behind');
});
