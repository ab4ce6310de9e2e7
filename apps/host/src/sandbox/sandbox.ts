import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Server } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Display, DisplaySocket } from '../display/display-socket.ts';
import type { NewPipe, PipeEnds } from '../switchboard/switchboard.ts';
import { closeStreams, exitOf, keepTail, type ProcessExit, streamOf } from './child-streams.ts';
import type { ControlGroup } from './control-group.ts';
import { insideHome } from './inside-paths.ts';
import { launchCommand } from './launch.ts';
import { inNetwork, networkArguments, networkPath } from './network.ts';
import { openBelow, openRootOf } from './open-directory.ts';
import { killProcess, untilGone } from './process-end.ts';
import { readStat } from './process-stat.ts';
import { type SandboxLimits, sandboxArguments } from './sandbox-arguments.ts';
import { descriptors, handoverProgram, startScript } from './start-script.ts';
import { watchZygotes } from './zygotes.ts';

const policiesFile = join(import.meta.dirname, '../chromium/policies.json');

export interface SandboxOptions {
  /** Shell lines to run inside before the browser. */
  prepare: readonly string[];
  /** The browser's program and its arguments. */
  command: readonly [string, ...string[]];
  /** Whether an X display comes with it. */
  display: boolean;
  /** The user and group id to run under; undefined: the host's own. */
  uid: number | undefined;
  /** The standard input of `prepare`. */
  archive?: Buffer | undefined;
  /** Creates the browser's DevTools pipe. */
  createPipe(): NewPipe;
}

/** One browser with its namespaces, its display and its scratch; all of it goes when it is killed. */
export interface Sandbox {
  /** The host's ends of its DevTools pipe. Whoever takes them closes them. */
  readonly devtools: PipeEnds;
  /** The forwarder's listening socket, made inside. Rejects when the sandbox does not come up. */
  readonly listener: Promise<Server>;
  readonly display: Display | undefined;
  /** The home of what runs inside, for the host; whoever opens it closes it. Rejects when nothing runs (any more). */
  openHome(): Promise<FileHandle>;
  /** Resolves when the browser is no more, whoever ended it. */
  readonly exited: Promise<ProcessExit>;
  /** Whether the kernel had to end something inside for want of memory. */
  ranOutOfMemory(): boolean;
  /** The end of what was written to standard error, to explain a failed start. */
  complaint(): string;
  /** Told when the browser is up: from then on it is ended should it lose what it cannot do without. */
  guard(): Promise<void>;
  /** Told when the browser is about to quit, and so to lose it. */
  unguard(): void;
  /** Kills everything inside and resolves when no process and no control group of it is left. */
  kill(): Promise<void>;
}

export interface SandboxBounds {
  limits: SandboxLimits;
  /** To the display that is to come with it; the sandbox's own from then on. */
  displaySocket?: DisplaySocket | undefined;
  /** Undefined where the system has none to offer. */
  group: ControlGroup | undefined;
  /** Whether it can have interfaces that lead nowhere, beside loopback. */
  interfaces: boolean;
}

export function startSandbox(
  { prepare, command, uid, archive, createPipe }: SandboxOptions,
  { limits, displaySocket, group, interfaces }: SandboxBounds,
): Sandbox {
  const { info, policies } = descriptors;
  const bubblewrap = [
    ...['bwrap', ...sandboxArguments(command[0], limits, policies), '--info-fd', String(info)],
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
  const sealed = interfaces ? inNetwork(bubblewrap) : bubblewrap;
  const child = spawnWithDescriptors(launchCommand(sealed, { group, uid }), {
    ...{ devtools, displaySocket, withArchive: archive !== undefined },
  });
  displaySocket?.handedOver();
  for (const stream of child.stdio) stream?.on('error', () => {}); // The exit tells it all.
  child.stdin?.end(archive);
  const exited = exitOf(child);
  const first = readFirstProcess(streamOf(child, info) as Readable);
  let watch: Disposable | undefined;
  void exited.then(() => watch?.[Symbol.dispose]());
  return {
    devtools: devtools.hostEnds(child),
    listener: receiveListener(child),
    display: displaySocket,
    openHome: async () => openHomeOf(await first),
    exited,
    ranOutOfMemory: () => group?.ranOutOfMemory ?? false,
    complaint: keepTail(child.stderr as Readable),
    async guard() {
      const known = await first;
      if (known) watch = watchZygotes(known.pid, () => killProcess(known.pid));
    },
    unguard: () => watch?.[Symbol.dispose](),
    async kill() {
      watch?.[Symbol.dispose]();
      await endSandbox(child, first, exited);
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
  }: {
    devtools: NewPipe;
    displaySocket: DisplaySocket | undefined;
    withArchive: boolean;
  },
): ChildProcess {
  using opened = new DisposableStack();
  opened.use(devtools);
  const open = (path: string) => opened.adopt(openSync(path, 'r'), closeSync);
  const toNode = open(process.execPath);
  const toPolicies = open(policiesFile);
  return spawn(program, args, {
    // In the order of `descriptors`, from 3 on.
    stdio: [
      ...([withArchive ? 'pipe' : 'ignore', 'ignore', 'pipe'] as const),
      ...([...devtools.stdio, 'ipc', toNode, 'pipe'] as const),
      ...([displaySocket?.descriptor ?? 'ignore', toPolicies] as const),
    ],
    env: { PATH: networkPath },
    cwd: '/',
  });
}

interface FirstProcess {
  pid: number;
  startTime: string;
}

/** Bubblewrap reports the process that is number 1 inside; undefined when there is none (any more). */
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

async function openHomeOf(first: FirstProcess | undefined): Promise<FileHandle> {
  if (!first) throw new Error('The sandbox is gone');
  await using root = await openRootOf(first.pid);
  // By now the number may be another sandbox's.
  if (readStat(first.pid)?.startTime !== first.startTime) throw new Error('The sandbox is gone');
  return await openBelow(root, insideHome);
}

function receiveListener(child: ChildProcess): Promise<Server> {
  const received = new Promise<Server>((resolve, reject) => {
    child.once('error', reject);
    child.once('disconnect', () => reject(new Error('The sandbox did not come up')));
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
 * Kills process 1 of the pid namespace: the kernel then kills the rest, and only after that does bubblewrap
 * see it end and exit. When bubblewrap went first, process 1 is on its own way out and is waited for.
 */
async function endSandbox(
  child: ChildProcess,
  firstProcess: Promise<FirstProcess | undefined>,
  exited: Promise<unknown>,
): Promise<void> {
  const first = await firstProcess;
  // By now the number may be another process's.
  const isThere = first !== undefined && readStat(first.pid)?.startTime === first.startTime;
  if (isThere) killProcess(first.pid);
  else child.kill('SIGKILL');
  await exited;
  if (isThere) await untilGone(first.pid);
  closeStreams(child);
}
