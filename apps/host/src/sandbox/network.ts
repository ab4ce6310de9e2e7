import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { firstErrorLine, namespaceAdvice, type Problem, unprivileged } from './diagnosis.ts';

/** The address that WebRTC asks about (`P2PSocketManager`). */
const webRtcProbe = '8.8.8.8';

/**
 * A pair of interfaces, both in the session's own namespace, that make Chromium believe that it is online. With only
 * loopback `navigator.onLine` is false, and images load far below the window. What is sent into one interface comes out
 * of the other and is dropped. There is no route beyond their subnet, so direct connections fail at once.
 *
 * The one exception leads nowhere either. WebRTC asks for the way to this address, without sending anything, to learn
 * its own address. Without an answer it has no candidate at all, as no browser does.
 *
 * IPv6 is off: its addresses would appear while Chromium runs. Chromium would see a change of network and fail its
 * current requests.
 */
const interfaces = [
  'link set lo up',
  'link add eth0 type veth peer name eth1',
  'link set eth0 addrgenmode none',
  'link set eth1 addrgenmode none',
  'address add 192.168.1.100/24 dev eth0',
  'link set eth1 up',
  'link set eth0 up',
  `route add ${webRtcProbe}/32 dev eth0`,
].join('\n');

const script = `ip -batch - <<'END' || exit 1
${interfaces}
END
exec "$@"`;

/**
 * Runs a command in a network namespace with those interfaces. The namespace belongs to a user namespace around the
 * sandbox's own, so nothing inside the sandbox can change it. The command runs as that namespace's root, whose
 * capabilities bubblewrap drops: see `networkArguments`.
 */
export function inNetwork(command: readonly string[]): string[] {
  const unshare = ['unshare', '--user', '--map-root-user', '--net', '--'];
  return [...unshare, '/bin/sh', '-c', script, 'sh', ...command];
}

/** Arguments of bubblewrap in such a network: keep it, and drop the capabilities over it. */
export const networkArguments: readonly string[] = ['--share-net', '--cap-drop', 'ALL'];

/** `ip` may be in a directory that is only in root's path. */
export const networkPath = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Tries to create the network as an unprivileged user; undefined if it works. */
export async function findNetworkProblem(): Promise<Problem | undefined> {
  const [program = '', ...args] = inNetwork(['true']);
  try {
    await promisify(execFile)(program, args, {
      timeout: 10_000,
      killSignal: 'SIGKILL',
      cwd: '/',
      env: { PATH: networkPath },
      ...unprivileged(),
    });
    return undefined;
  } catch (error) {
    const reason = firstErrorLine(error);
    if (/\bip: (command )?not found/.test(reason)) {
      return { reason: 'the program `ip` is not installed', advice: 'as root: `apt-get install iproute2`' };
    }
    if (/Unknown device type|Operation not supported/.test(reason)) {
      return { reason: 'the kernel has no veth interfaces', advice: 'as root: `modprobe veth`' };
    }
    return { reason, advice: namespaceAdvice() };
  }
}
