import type { MessagePort } from 'node:worker_threads';
import type { PipeStart } from '../browser-pipe.ts';
import type { ClientStart } from '../client/client-socket.ts';
import type { Command } from '../commands.ts';
import type { Report } from '../reports.ts';

/** What the thread starts with. */
export interface ThreadData {
  /** Written to when there are commands, because the thread waits for descriptors and for nothing else. */
  wakeDescriptor: number;
  port: MessagePort;
  /** Shared. Set to 1 when the thread makes no more system calls. */
  isStopped: Int32Array;
  /** Shared. Says whose work the thread does. */
  workWords: Int32Array;
}

/** What the thread tells the host besides reports: that it can be watched. */
export interface ThreadStarted {
  kernelThreadId: number;
}

/** Starts the thread's loop, at first and after it was interrupted. */
export interface RunLoop {
  /** The pipe whose work was interrupted. */
  stalledPipeId?: number;
}

/** What the host sends to the thread while its loop runs. */
export type ThreadCommand =
  | Command
  | { type: 'openPipe'; start: PipeStart; input: number; output: number }
  | { type: 'connectClient'; toPipeId: number; start: ClientStart; descriptor: number }
  | { type: 'stop' };

/** Larger byte arrays are handed over, and not copied. */
const maxCopiedBytes = 64 * 1024;

/** Returns the memory that goes to the other thread with these. */
export function transferList(messages: readonly (ThreadCommand | Report)[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const one of messages) {
    const bytes = bytesOf(one);
    if (bytes instanceof Uint8Array && bytes.length > maxCopiedBytes)
      buffers.push(bytes.buffer as ArrayBuffer);
  }
  return buffers;
}

function bytesOf(one: ThreadCommand | Report): unknown {
  if ('message' in one) return one.message;
  if ('bytes' in one) return one.bytes;
  return one.type === 'connectClient' ? one.start.firstBytes : undefined;
}
