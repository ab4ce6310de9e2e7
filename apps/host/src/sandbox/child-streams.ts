import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';

const tailLength = 2048;

/** The types know of five. */
export function streamOf({ stdio }: { stdio: readonly unknown[] }, descriptor: number): unknown {
  return stdio[descriptor];
}

/** How a process ended: by itself, with a code, or by a signal. Neither: it never came to be. */
export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** What shells and bubblewrap add to the number of the signal that ended their child. */
const signalBase = 128;

/** Resolves when the process is no more. A code that stands for a signal is told as that signal. */
export function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal ? { code, signal } : { code, signal: signalOf(code) }),
    );
    child.once('error', () => resolve({ code: null, signal: null }));
  });
}

function signalOf(code: number | null): NodeJS.Signals | null {
  if (code === null || code <= signalBase) return null;
  const known = Object.entries(constants.signals).find(([, number]) => number === code - signalBase);
  return (known?.[0] as NodeJS.Signals | undefined) ?? null;
}

/** Reads a stream to its end and answers, at any time, the last of it. */
export function keepTail(stream: Readable): () => string {
  let tail = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-tailLength);
  });
  return () => tail;
}

/** The DevTools pipe, where it is streams: its owner reads it to the end and closes it. */
const devtoolsDescriptors = [3, 4];

/** Closes the streams of a process that is no more. */
export function closeStreams({ stdio }: Pick<ChildProcess, 'stdio'>): void {
  for (const [descriptor, stream] of stdio.entries()) {
    if (!devtoolsDescriptors.includes(descriptor)) stream?.destroy();
  }
}
