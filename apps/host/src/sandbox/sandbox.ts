import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Server } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { killProcess, untilGone } from './process-end.ts';
import { sandboxArguments } from './sandbox-arguments.ts';
import { descriptors, handoverProgram, startScript } from './start-script.ts';

export interface SandboxOptions {
  /** Shell lines to run inside before the browser. */
  prepare: readonly string[];
  /** The browser's program and its arguments. */
  command: readonly [string, ...string[]];
  /** Whether an X display comes with it. */
  display: boolean;
  /** The user and group id to run under; undefined: the host's own. */
  uid: number | undefined;
}

/** One browser with its namespaces, its display and its scratch; all of it goes when it is killed. */
export interface Sandbox {
  readonly devtoolsIn: Writable;
  readonly devtoolsOut: Readable;
  /** The forwarder's listening socket, made inside. Rejects when the sandbox does not come up. */
  readonly listener: Promise<Server>;
  /** Resolves when the browser is no more, whoever ended it. */
  readonly exited: Promise<void>;
  /** The end of what was written to standard error, to explain a failed start. */
  complaint(): string;
  /** Kills everything inside and resolves when no process of it is left. */
  kill(): Promise<void>;
}

export function startSandbox({ prepare, command, display, uid }: SandboxOptions): Sandbox {
  const { devtoolsIn, devtoolsOut, info } = descriptors;
  const child = spawnBubblewrap(
    [
      ...sandboxArguments(command[0], info),
      ...['--', '/bin/sh', '-c', startScript(prepare, display), 'sh', handoverProgram, ...command],
    ],
    uid,
  );
  for (const stream of child.stdio) stream?.on('error', () => {}); // The exit tells it all.
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const firstPid = readFirstPid(streamOf(child, info) as Readable);
  return {
    devtoolsIn: streamOf(child, devtoolsIn) as Writable,
    devtoolsOut: streamOf(child, devtoolsOut) as Readable,
    listener: receiveListener(child),
    exited,
    complaint: keepTail(child.stderr as Readable),
    kill: () => endSandbox(child, firstPid, exited),
  };
}

function spawnBubblewrap(args: readonly string[], uid: number | undefined): ChildProcess {
  const node = openSync(process.execPath, 'r');
  try {
    return spawn('bwrap', args, {
      // In the order of `descriptors`, from 3 on.
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'ipc', node, 'pipe'],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
  } finally {
    closeSync(node);
  }
}

/** The types know of five. */
function streamOf({ stdio }: { stdio: readonly unknown[] }, descriptor: number): unknown {
  return stdio[descriptor];
}

/** Bubblewrap reports the process that is number 1 inside; undefined when it failed before there was one. */
async function readFirstPid(info: Readable): Promise<number | undefined> {
  let text = '';
  try {
    for await (const chunk of info) text += chunk;
  } catch {
    return undefined;
  }
  const pid = /"child-pid": (\d+)/.exec(text)?.[1];
  return pid === undefined ? undefined : Number(pid);
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

function keepTail(stream: Readable): () => string {
  const maxLength = 2048;
  let tail = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-maxLength);
  });
  return () => tail;
}

/**
 * Kills process 1 of the pid namespace: the kernel then kills the rest, and only after that does bubblewrap
 * see it end and exit. When bubblewrap went first, process 1 is on its own way out and is waited for.
 */
async function endSandbox(
  child: ChildProcess,
  firstPid: Promise<number | undefined>,
  exited: Promise<void>,
): Promise<void> {
  const pid = await firstPid;
  if (pid !== undefined) killProcess(pid);
  else child.kill('SIGKILL');
  await exited;
  if (pid !== undefined) await untilGone(pid);
  const devtoolsOut = streamOf(child, descriptors.devtoolsOut) as Readable;
  for (const stream of child.stdio) if (stream !== devtoolsOut) stream?.destroy();
  devtoolsOut.resume(); // What the browser wrote last is still read, up to the end.
  if (!devtoolsOut.closed) await once(devtoolsOut, 'close');
}
