import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import { displayScript } from '../display/display.ts';
import { closeStreams, exitOf, keepTail, streamOf } from './child-streams.ts';
import { insideHome } from './inside-paths.ts';
import { launchCommand } from './launch.ts';
import { connectTo, openDirectory } from './open-directory.ts';
import { killProcess, killProcessGroup, untilGone, untilGroupGone } from './process-end.ts';
import type { Sandbox, SandboxBounds, SandboxOptions } from './sandbox.ts';
import { descriptors, forwarderPort, workersScript } from './start-script.ts';
import { stopProcesses } from './stopped-processes.ts';
import { connectWorker, Workers } from './workers.ts';

/** In a sandbox the kernel keeps WebRTC from reaching anything. */
const noDirectUdp = '--force-webrtc-ip-handling-policy=disable_non_proxied_udp';

/** Descriptors 5 and 6, which only a sandbox needs, and the workers'. */
const otherDescriptors = ['ignore', 'ignore', 'pipe'] as const;

/**
 * Runs a browser with no sandbox but Chromium's own, for development on systems without namespaces. It can reach the
 * network and read its user's files, and any local program can use its forwarder.
 */
export async function startUnsandboxed(
  { prepare, command, uid, archive, policies, createPipe }: SandboxOptions,
  { displaySocket, group }: Omit<SandboxBounds, 'limits' | 'interfaces'>,
): Promise<Sandbox> {
  if (policies) throw new Error('A browser without a sandbox trusts no authorities of its own');
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const home = await mkdtemp(join(tmpdir(), 'turnpike-unsandboxed-'));
  if (uid !== undefined) await chown(home, uid, uid);
  const { port } = listener.address() as AddressInfo;
  const outside = (text: string) =>
    text.replaceAll(insideHome, home).replaceAll(`127.0.0.1:${forwarderPort}`, `127.0.0.1:${port}`);
  const script = [
    workersScript(`'${process.execPath}'`, '3<&- 4<&- 8<&-', port),
    `exec ${descriptors.workers}<&-`,
    ...prepare.map(outside),
    ...(displaySocket ? startDisplay(home) : []),
    'exec "$@"',
  ].join('\n');
  const [program, ...flags] = command.map(outside);
  const shell = ['/bin/sh', '-c', script, 'sh', program ?? '', noDirectUdp, ...flags];
  using opened = new DisposableStack();
  const devtools = opened.use(createPipe());
  const child = spawn(...launchCommand(shell, { group, uid }), {
    stdio: [
      ...([archive ? 'pipe' : 'ignore', 'ignore', 'pipe', ...devtools.stdio, ...otherDescriptors] as const),
      ...(displaySocket ? [displaySocket.descriptor] : []),
    ],
    env: { PATH: '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8', DBUS_SESSION_BUS_ADDRESS: 'disabled:' },
    cwd: home,
    detached: true, // Its own process group, which is killed as a whole.
  });
  displaySocket?.handedOver();
  for (const stream of child.stdio) stream?.on('error', () => {}); // The exit follows.
  child.stdin?.end(archive);
  const exited = exitOf(child);
  const workers = new Workers(streamOf(child, descriptors.workers) as Duplex, home, async (name, signal) => {
    await using directory = await openDirectory(home);
    return await connectWorker(directory, name, signal);
  });
  return {
    devtools: devtools.hostEnds(child),
    listener: Promise.resolve(listener),
    display: displaySocket,
    isSandboxed: false,
    group,
    connectX: (signal) => connectX(home, signal),
    openHome: () => openDirectory(home),
    startWorker: (program, signal) => workers.start(program, signal),
    openIsolation: async () => undefined,
    exited,
    ranOutOfMemory: () => group?.ranOutOfMemory ?? false,
    errorOutput: keepTail(child.stderr as Readable),
    stop: async () => stopProcesses(child.pid ?? 0, { andItself: true }),
    guard: async () => {},
    unguard: () => {},
    async kill() {
      if (listener.listening) listener.close();
      group?.freezer?.thaw(); // What is frozen would not end.
      await endProcesses(child, exited);
      await endStragglers(home);
      await group?.remove();
      displaySocket?.[Symbol.dispose]();
      if (displaySocket) await removeDisplay(home);
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function endProcesses(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.pid !== undefined) killProcessGroup(child.pid);
  await exited;
  if (child.pid !== undefined) await untilGroupGone(child.pid);
  closeStreams(child);
}

/** Kills Chromium's crash handlers, which leave the process group. Their command lines contain the profile's path. */
async function endStragglers(home: string): Promise<void> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLine(name).includes(home));
  for (const pid of pids.map(Number)) killProcess(pid);
  await Promise.all(pids.map(Number).map(untilGone));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** As in a sandbox, but with the first free display number. */
function startDisplay(home: string): string[] {
  return [
    ...displayScript('3<&- 4<&- 5<&- 6<&- 7<&-', { number: '', directory: home }),
    `echo $display >${home}/display-number`,
    'exec 5<&- 6<&- 7<&-',
  ];
}

async function connectX(home: string, signal: AbortSignal): Promise<Socket> {
  const number = (await readFile(`${home}/display-number`, 'latin1')).trim();
  return await connectTo(`/tmp/.X11-unix/X${number}`, signal);
}

/** Removes the lock and the socket of a killed X server. */
async function removeDisplay(home: string): Promise<void> {
  const number = Number(await readFile(`${home}/display-number`, 'latin1').catch(() => 'none'));
  if (Number.isNaN(number)) return;
  for (const path of [`/tmp/.X${number}-lock`, `/tmp/.X11-unix/X${number}`]) await rm(path, { force: true });
}
