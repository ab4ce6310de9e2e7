import type { TappedMessage } from '../filters/message-tap.ts';
import type { Refusal } from './refusals.ts';
import type { AttachedTarget } from './targets.ts';

/** How a pipe was lost that the browser did not close: the thread died, or was interrupted in work for it. */
export type LostPipe = 'threadDied' | 'stalled';

/** What the host hears of one browser's pipe. */
export type PipeReport =
  /** A message of no client's CDP session. */
  | { type: 'message'; pipeId: number; text: string }
  /** A client's command or the answer to one, in a session that is recorded. */
  | { type: 'tapped'; pipeId: number; message: TappedMessage }
  /** A client has a new CDP session, found by way of its parent. It waits for `release`. */
  | { type: 'attached'; pipeId: number; clientId: number; target: AttachedTarget; parent: string }
  | { type: 'detached'; pipeId: number; clientId: number; cdpSessionId: string }
  /** A `pauseClients` has been carried out. */
  | { type: 'clientsPaused'; pipeId: number }
  /** A `standby` has been carried out. */
  | { type: 'standbySet'; pipeId: number }
  /** A client has sent a message to a browser that sleeps. */
  | { type: 'needed'; pipeId: number }
  /** The pipe is closed. Everything that the browser wrote has been delivered, unless it was lost. */
  | { type: 'ended'; pipeId: number; lost?: LostPipe };

/** What the host hears of one client's socket. */
export type ClientReport =
  /** A message that the host must decide on or, with a CDP session, know of. The client waits for `handled`. */
  | { type: 'clientMessage'; clientId: number; message: Uint8Array; cdpSessionId: string | undefined }
  /** Bytes of WebSocket control frames. The client waits for `handled`. */
  | { type: 'controlFrames'; clientId: number; bytes: Uint8Array }
  /** Nothing is read from or delivered to the client any more. The host tells it why, if it still can be told. */
  | { type: 'refused'; clientId: number; refusal: Refusal; canBeTold: boolean }
  /** The client sends nothing more. */
  | { type: 'hungUp'; clientId: number }
  /** The socket is closed. */
  | { type: 'closed'; clientId: number };

/** An error that ended one pipe or one client, and nothing else. */
export interface ErrorReport {
  type: 'error';
  error: string;
}

export type Report = PipeReport | ClientReport | ErrorReport;

/** Indexes of the counters that the host can read at any time. */
export const pipeCounters = { messages: 0, busyMs: 1, unanswered: 2 } as const;
export const clientCounters = { bytesRead: 0, isBackpressured: 1, isPending: 2 } as const;

/** Creates counters in memory that both threads see. */
export function newCounters(indexes: Record<string, number>): Float64Array {
  return new Float64Array(
    new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * Object.keys(indexes).length),
  );
}

/** Views the same memory as a Buffer. */
export function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
