import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

const tailLength = 2048;

/** The types know of five. */
export function streamOf({ stdio }: { stdio: readonly unknown[] }, descriptor: number): unknown {
  return stdio[descriptor];
}

/** Resolves when the process is no more, or never came to be. */
export function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
}

/** Reads a stream to its end and answers, at any time, the last of it. */
export function keepTail(stream: Readable): () => string {
  let tail = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-tailLength);
  });
  return () => tail;
}
