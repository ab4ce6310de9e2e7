import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { firstErrorLine, namespaceAdvice, type Problem, unprivileged } from './diagnosis.ts';

/**
 * Chromium is online when it sees an interface beside loopback: without one `navigator.onLine` is false, and
 * images load far below the window. So there is a pair of interfaces whose ends are both in the session's own
 * namespace: what is sent into one comes out of the other and is dropped there. No route leads further than its
 * own subnet, so that what tries to go direct fails at once.
 *
 * IPv6 is left off: its addresses would appear when Chromium is up already, and it takes that for a change of
 * network, which fails the requests of the moment.
 */
const interfaces = [
  'link set lo up',
  'link add eth0 type veth peer name eth1',
  'link set eth0 addrgenmode none',
  'link set eth1 addrgenmode none',
  'address add 192.168.1.100/24 dev eth0',
  'link set eth1 up',
  'link set eth0 up',
].join('\n');

const script = `ip -batch - <<'END' || exit 1
${interfaces}
END
exec "$@"`;

/**
 * Runs a command in a network namespace with those interfaces. It belongs to a user namespace around the
 * sandbox's own, so nothing inside the sandbox has a say in it. The command runs as that namespace's root, whose
 * capabilities bubblewrap has to drop: see `networkArguments`.
 */
export function inNetwork(command: readonly string[]): string[] {
  const unshare = ['unshare', '--user', '--map-root-user', '--net', '--'];
  return [...unshare, '/bin/sh', '-c', script, 'sh', ...command];
}

/** What bubblewrap is told when it runs in such a network: to keep it, and none of the capabilities over it. */
export const networkArguments: readonly string[] = ['--share-net', '--cap-drop', 'ALL'];

/** The programs that make it may be where only root looks. */
export const networkPath = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Tries it as a user that has no privileges; undefined: it works. */
export async function findNetworkProblem(): Promise<Problem | undefined> {
  const [program = '', ...args] = inNetwork(['true']);
  try {
    await promisify(execFile)(program, args, {
      ...{ timeout: 10_000, killSignal: 'SIGKILL', cwd: '/', env: { PATH: networkPath } },
      ...unprivileged(),
    });
    return undefined;
  } catch (error) {
    const reason = firstErrorLine(error);
    if (/\bip: (command )?not found/.test(reason)) {
      return { reason: 'the program `ip` is not there', advice: 'as root: `apt-get install iproute2`' };
    }
    if (/Unknown device type|Operation not supported/.test(reason)) {
      return { reason: 'the kernel has no veth interfaces', advice: 'as root: `modprobe veth`' };
    }
    return { reason, advice: namespaceAdvice() };
  }
}
