// @module-tag slow

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { newRequest } from '@turnpike/host/testing/test-host';
import { describe, expect, it } from 'vitest';
import { processTable } from '../fixtures/process/process-table.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, testEach } from '../fixtures/suite/matrix.ts';
import { startHostProcess } from './host-process.ts';
import { groupsOfHost, pidsOf } from './session-group.ts';
import { siteBehindProxy } from './site.ts';
import { startSteadyClient } from './steady-client.ts';

watchLeaks();

const site = siteBehindProxy();

const isRoot = process.getuid?.() === 0;
/** The rest of the command runs as an ordinary user, with no way back. */
const asUser = isRoot
  ? [
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
      '--',
    ]
  : [];

async function loadsPages(url: string): Promise<void> {
  const client = await startSteadyClient(url, site.origin);
  await client.answers(9);
  await client.stop();
}

const userOf = (pid: number) =>
  Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
const browsersOf = (pid: number) => pidsOf('chrom', pid);
const alive = (pids: readonly number[]) => pids.filter((pid) => processTable().has(pid));

describeEach({ quick: [true], slow: [false] })('headless: %s', (headless) => {
  const [thisUser, anOrdinaryUser] = [
    ['this user', []],
    ['an ordinary user', asUser],
  ] as const;

  // Most other tests run as root.
  it.runIf(isRoot)('as root each browser has a user id of its own, and caps', { tags: 'slow' }, async () => {
    await using host = await startHostProcess();
    const urls = await Promise.all([1, 2].map(() => host.open(newRequest(site.proxy, { headless }))));
    await Promise.all(urls.map(loadsPages));
    const users = new Set(browsersOf(host.pid).map(userOf));
    expect(users.size).toBe(2);
    expect(Math.min(...users)).toBeGreaterThanOrEqual(200_000);
    expect(groupsOfHost(host.pid).length).toBeGreaterThan(0);
    expect(host.logs()).not.toContain('without caps');
  });

  it('as an ordinary user they run under that user in the same namespaces, and it says that there are no caps', async () => {
    await using host = await startHostProcess({ within: asUser });
    const url = await host.open(newRequest(site.proxy, { headless }));
    await loadsPages(url);
    expect(new Set(browsersOf(host.pid).map(userOf))).toEqual(new Set([65534]));
    const [browser = 0] = browsersOf(host.pid);
    for (const kind of ['net', 'pid', 'mnt', 'ipc', 'uts', 'user']) {
      const namespaceOf = (pid: number | 'self') => readlinkSync(`/proc/${pid}/ns/${kind}`);
      expect(namespaceOf(browser)).not.toBe(namespaceOf('self'));
    }
    expect(host.logs()).toMatch(
      /"reason":"[^"]+","advice":"[^"]*systemd-run --user[^"]*".*sessions run without caps/,
    );
    const pids = pidsOf('', host.pid);
    await host.kill();
    await expect.poll(() => alive(pids)).toEqual([]);
  });

  testEach<readonly [string, readonly string[]]>({ quick: [thisUser], slow: [anOrdinaryUser] })(
    'with TURNPIKE_SANDBOX=off, as %s, they run without bubblewrap, loudly, and leave nothing',
    async (_who, within) => {
      const displays = () => readdirSync('/tmp').filter((name) => /^\.X\d+-lock$/.test(name));
      const before = displays();
      await using host = await startHostProcess({ env: { TURNPIKE_SANDBOX: 'off' }, within });
      const request = newRequest(site.proxy, { headless });
      await loadsPages(await host.open(request));
      const pids = browsersOf(host.pid);
      expect(pidsOf('bwrap', host.pid)).toEqual([]);
      expect(pids.map(userOf)).not.toContain(0);
      expect(host.logs()).toMatch(/"level":40.*TURNPIKE_SANDBOX=off: browsers run WITHOUT A SANDBOX/);
      expect(host.logs()).toMatch(/this browser runs WITHOUT A SANDBOX/);
      expect(await host.close(request.sessionId)).toMatchObject({ cause: 'closed' });
      await expect.poll(() => alive(pids)).toEqual([]);
      await expect.poll(() => displays().filter((name) => !before.includes(name))).toEqual([]);
      const homes = () => readdirSync(tmpdir()).filter((name) => name.startsWith('turnpike-unsandboxed'));
      await expect.poll(homes).toEqual([]);
    },
  );
});

describe('where no namespace can be made', () => {
  /** A user namespace of its own in which there may be no others. */
  const without = [
    ...[...asUser, 'unshare', '--user', '--map-user=1000', '--map-group=1000', '--keep-caps', 'sh', '-c'],
    'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"',
    ...['sh', 'setpriv', '--ambient-caps=-all', '--inh-caps=-all', '--'],
  ];

  it('it says what is missing and starts no browser', async () => {
    await using host = await startHostProcess({ within: without });
    expect(host.logs()).toMatch(
      /"level":50.*"advice":"allow user namespaces: `sysctl -w user.max_user_namespaces=15000`".*browsers cannot be sandboxed/,
    );
    await expect(host.open(newRequest(site.proxy))).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringContaining('bwrap: '),
    });
    expect(pidsOf('chromium', host.pid)).toEqual([]);
  });
});
