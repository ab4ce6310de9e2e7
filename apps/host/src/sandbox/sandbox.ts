import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Display, DisplaySocket } from '../display/display-socket.ts';
import type { NewPipe, PipeEnds } from '../switchboard/switchboard.ts';
import { closeStreams, exitOf, keepTail, type ProcessExit, streamOf } from './child-streams.ts';
import type { ControlGroup } from './control-groups/control-group.ts';
import { insideHome, xSockets } from './inside-paths.ts';
import { IsolationReader } from './isolation.ts';
import { launchCommand } from './launch.ts';
import { inNetwork, networkArguments, networkPath } from './network.ts';
import { connectBelow, openBelow, openRootOf } from './open-directory.ts';
import { killProcess, untilGone } from './process-end.ts';
import { readStat } from './process-stat.ts';
import { type SandboxLimits, sandboxArguments } from './sandbox-arguments.ts';
import { descriptors, handoverProgram, startScript } from './start-script.ts';
import { stopProcesses } from './stopped-processes.ts';
import { connectWorker, Workers } from './workers.ts';
import { watchZygotes } from './zygotes.ts';

const policiesFile = join(import.meta.dirname, '../chromium/policies.json');

export interface SandboxOptions {
  /** Shell lines to run inside before the browser. */
  prepare: readonly string[];
  /** The browser's program and its arguments. */
  command: readonly [string, ...string[]];
  /** Whether an X display comes with it. */
  display: boolean;
  /** The user and group id to run under; undefined means the host's own. */
  uid: number | undefined;
  /** The standard input of `prepare`. */
  archive?: Buffer | undefined;
  /** The fonts of the claimed system: see `font-archive.ts`. Undefined means the machine's own. */
  fonts?: Buffer | undefined;
  /** Chromium's policies, where they are not the usual ones. */
  policies?: Buffer | undefined;
  /** Creates the browser's DevTools pipe. */
  createPipe(): NewPipe;
}

/** One browser with its namespaces, its display and its files. All of it is gone when it is killed. */
export interface Sandbox {
  /** The host's ends of its DevTools pipe. The caller closes them. */
  readonly devtools: PipeEnds;
  /** The forwarder's listening socket, created inside. Rejects when the sandbox does not start. */
  readonly listener: Promise<Server>;
  readonly display: Display | undefined;
  /** False: it has no sandbox but Chromium's own. */
  readonly isSandboxed: boolean;
  /** The control group that it is in; undefined if the system has none for it. */
  readonly group: ControlGroup | undefined;
  /** Connects to the X server of its display. Rejects when the sandbox has ended. */
  connectX(signal: AbortSignal): Promise<Socket>;
  /** Opens the home directory inside. The caller closes it. Rejects when the sandbox has ended. */
  openHome(): Promise<FileHandle>;
  /** Starts Node inside, with a program: see `workers.ts`. */
  startWorker: Workers['start'];
  /**
   * Opens what the kernel says about it. The caller disposes it. Returns undefined if it is no sandbox, or has ended.
   */
  openIsolation(): Promise<IsolationReader | undefined>;
  /** Resolves when the browser has exited, whatever ended it. */
  readonly exited: Promise<ProcessExit>;
  /** Whether the kernel killed a process inside because it ran out of memory. */
  ranOutOfMemory(): boolean;
  /** The end of standard error, to explain a failed start. */
  errorOutput(): string;
  /** Stops its processes until the result is disposed. */
  stop(): Promise<Disposable>;
  /** Call it when the browser is up: it is killed from then on if it loses a process that it needs. */
  guard(): Promise<void>;
  /** Call it before the browser quits, which ends those processes. */
  unguard(): void;
  /** Kills all processes inside. Resolves when they and the control group are gone. */
  kill(): Promise<void>;
}

export interface SandboxBounds {
  limits: SandboxLimits;
  /** For the display. The sandbox owns it from now on. */
  displaySocket?: DisplaySocket | undefined;
  /** Undefined if the system has no control groups for the host. */
  group: ControlGroup | undefined;
  /** Whether it gets a pair of interfaces beside loopback: see `network.ts`. */
  interfaces: boolean;
}

export function startSandbox(
  { prepare, command, uid, archive, fonts, policies: ownPolicies, createPipe }: SandboxOptions,
  { limits, displaySocket, group, interfaces }: SandboxBounds,
): Sandbox {
  const { info, policies } = descriptors;
  const data = { policies, fonts: fonts && descriptors.fonts };
  const bubblewrap = [
    ...['bwrap', ...sandboxArguments(command[0], limits, data), '--info-fd', String(info)],
    ...(interfaces ? networkArguments : []),
    ...[
      '--',
      '/bin/sh',
      '-c',
      startScript(prepare, displaySocket !== undefined),
      'sh',
      handoverProgram,
      ...command,
    ],
  ];
  const devtools = createPipe();
  const sandboxed = interfaces ? inNetwork(bubblewrap) : bubblewrap;
  const child = spawnWithDescriptors(launchCommand(sandboxed, { group, uid }), {
    devtools,
    displaySocket,
    withArchive: archive !== undefined,
    withFonts: fonts !== undefined,
    withPolicies: ownPolicies !== undefined,
  });
  displaySocket?.handedOver();
  for (const stream of child.stdio) stream?.on('error', () => {}); // The exit follows.
  child.stdin?.end(archive);
  if (ownPolicies) (streamOf(child, descriptors.policies) as Writable).end(ownPolicies);
  if (fonts) (streamOf(child, descriptors.fonts) as Writable).end(fonts);
  const exited = exitOf(child);
  const first = readFirstProcess(streamOf(child, info) as Readable);
  const listener = receiveListener(child);
  const workers = new Workers(
    streamOf(child, descriptors.workers) as Duplex,
    insideHome,
    async (name, signal) => {
      await using home = await openHomeOf(await first);
      return await connectWorker(home, name, signal);
    },
  );
  let watch: Disposable | undefined;
  void exited.then(() => watch?.[Symbol.dispose]());
  return {
    devtools: devtools.hostEnds(child),
    listener,
    display: displaySocket,
    isSandboxed: true,
    group,
    connectX: async (signal) => connectXOf(await first, signal),
    openHome: async () => openHomeOf(await first),
    startWorker: (program, signal) => workers.start(program, signal),
    openIsolation: async () => openIsolationOf(await first),
    exited,
    ranOutOfMemory: () => group?.ranOutOfMemory ?? false,
    errorOutput: keepTail(child.stderr as Readable),
    stop: async () => stopBelow(await first),
    async guard() {
      const known = await first;
      if (known)
        watch = watchZygotes(known.pid, () => {
          group?.freezer?.thaw();
          killProcess(known.pid);
        });
    },
    unguard: () => watch?.[Symbol.dispose](),
    async kill() {
      watch?.[Symbol.dispose]();
      group?.freezer?.thaw(); // What is frozen would not end.
      await endSandbox(child, first, exited);
      // Nobody may have taken it.
      void listener.then((server) => server.close()).catch(() => {});
      displaySocket?.[Symbol.dispose]();
      await group?.remove();
    },
  };
}

function spawnWithDescriptors(
  [program, args]: [string, string[]],
  {
    devtools,
    displaySocket,
    withArchive,
    withFonts,
    withPolicies,
  }: {
    devtools: NewPipe;
    displaySocket: DisplaySocket | undefined;
    withArchive: boolean;
    withFonts: boolean;
    withPolicies: boolean;
  },
): ChildProcess {
  using opened = new DisposableStack();
  opened.use(devtools);
  const open = (path: string) => opened.adopt(openSync(path, 'r'), closeSync);
  const toNode = open(process.execPath);
  const toPolicies = withPolicies ? 'pipe' : open(policiesFile);
  return spawn(program, args, {
    // In the order of `descriptors`, from 3 on.
    stdio: [
      ...([withArchive ? 'pipe' : 'ignore', 'ignore', 'pipe'] as const),
      ...([...devtools.stdio, 'ipc', toNode, 'pipe'] as const),
      ...([
        displaySocket?.descriptor ?? 'ignore',
        toPolicies,
        withFonts ? 'pipe' : 'ignore',
        'pipe',
      ] as const),
    ],
    env: { PATH: networkPath },
    cwd: '/',
    detached: true, // A terminal's Ctrl-C is for the host, which then closes its sessions.
  });
}

interface FirstProcess {
  pid: number;
  startTime: string;
}

/** Reads the pid of process 1 inside, which bubblewrap reports; undefined if it did not start, or has ended. */
async function readFirstProcess(info: Readable): Promise<FirstProcess | undefined> {
  let text = '';
  try {
    for await (const chunk of info) text += chunk;
  } catch {
    return undefined;
  }
  const pid = Number(/"child-pid": (\d+)/.exec(text)?.[1]);
  const stat = Number.isNaN(pid) ? undefined : readStat(pid);
  return stat && { pid, startTime: stat.startTime };
}

function stopBelow(first: FirstProcess | undefined): Disposable {
  // The pid may have been reused.
  if (!first || readStat(first.pid)?.startTime !== first.startTime) throw new Error('The sandbox is gone');
  return stopProcesses(first.pid);
}

async function openHomeOf(first: FirstProcess | undefined): Promise<FileHandle> {
  if (!first) throw new Error('The sandbox is gone');
  await using root = await openRootOf(first.pid);
  // The pid may have been reused.
  if (readStat(first.pid)?.startTime !== first.startTime) throw new Error('The sandbox is gone');
  return await openBelow(root, insideHome);
}

function openIsolationOf(first: FirstProcess | undefined): IsolationReader | undefined {
  if (!first) return undefined;
  using undo = new DisposableStack();
  try {
    const reader = undo.use(new IsolationReader(first.pid));
    // The pid may have been reused.
    if (readStat(first.pid)?.startTime !== first.startTime) return undefined;
    undo.move();
    return reader;
  } catch {
    return undefined; // It has ended.
  }
}

async function connectXOf(first: FirstProcess | undefined, signal: AbortSignal): Promise<Socket> {
  await using home = await openHomeOf(first);
  await using sockets = await openBelow(home, xSockets);
  return await connectBelow(sockets, 'X0', signal);
}

function receiveListener(child: ChildProcess): Promise<Server> {
  const received = new Promise<Server>((resolve, reject) => {
    child.once('error', reject);
    child.once('disconnect', () => reject(new Error('The sandbox did not start')));
    child.once('message', (_message, handle) => {
      if (child.connected) child.disconnect();
      if (handle instanceof Server) resolve(handle);
      else reject(new Error('The sandbox handed over no listening socket'));
    });
  });
  received.catch(() => {});
  return received;
}

/**
 * Kills process 1 of the pid namespace. The kernel then kills the rest, and bubblewrap exits after that. When bubblewrap
 * exited first, process 1 is ending already, and this waits for it.
 */
async function endSandbox(
  child: ChildProcess,
  firstProcess: Promise<FirstProcess | undefined>,
  exited: Promise<unknown>,
): Promise<void> {
  const first = await firstProcess;
  // The pid may have been reused.
  const isThere = first !== undefined && readStat(first.pid)?.startTime === first.startTime;
  if (isThere) killProcess(first.pid);
  else child.kill('SIGKILL');
  await exited;
  if (isThere) await untilGone(first.pid);
  closeStreams(child);
}
