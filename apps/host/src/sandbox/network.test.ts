import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { unprivileged } from './diagnosis.ts';
import { findNetworkProblem, inNetwork, networkArguments, networkPath } from './network.ts';
import { limitsWithin, sandboxArguments } from './sandbox-arguments.ts';

/** What a shell says in a sandbox with a network that leads nowhere. */
async function says(script: string): Promise<string> {
  const bubblewrap = [
    'bwrap',
    ...sandboxArguments('/usr/bin/sh', limitsWithin(2 ** 30)),
    ...networkArguments,
  ];
  const [program = '', ...args] = inNetwork([...bubblewrap, '--', '/bin/sh', '-c', script]);
  const options = { cwd: '/', env: { PATH: networkPath }, ...unprivileged() };
  return (await promisify(execFile)(program, args, options)).stdout.trim();
}

test('such a network can be made here', async () => {
  expect(await findNetworkProblem()).toBeUndefined();
});

test('a sandbox has an interface beside loopback, and no route that leads on from it', async () => {
  const [interfaces = '', routes = ''] = (await says('cat /proc/net/dev; echo; cat /proc/net/route')).split(
    '\n\n',
  );
  const names = interfaces
    .split('\n')
    .slice(2)
    .map((line) => line.trim().split(':')[0]);
  expect(names.toSorted()).toEqual(['eth0', 'eth1', 'lo']);
  const [destinations, gateways] = [1, 2].map((field) =>
    routes
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')[field]),
  );
  // 192.168.1.0, read from the right, and the address that WebRTC asks about, which nobody answers for.
  expect(destinations?.toSorted()).toEqual(['0001A8C0', '08080808']);
  expect(gateways).toEqual(['00000000', '00000000']);
});

test('an address for IPv6 never comes, which Chromium would take for a change of network', async () => {
  expect(await says("grep -v ' lo$' /proc/net/if_inet6 || echo none")).toBe('none');
});

test('nothing inside has a capability, in the namespaces or over the network', async () => {
  expect(await says("grep '^Cap' /proc/self/status | tr -d '\\n'")).toMatch(/^(Cap\w+:\s*0{16})+$/);
  expect(await says('ip link set eth0 down 2>&1 || echo refused')).toContain('refused');
  expect(await says('ip route add default dev eth0 2>&1 || echo refused')).toContain('refused');
  const asRoot = 'unshare --user --map-root-user ip route add default dev eth0 2>&1 || echo refused';
  expect(await says(asRoot)).toContain('refused');
});
