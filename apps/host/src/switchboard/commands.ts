import type { ScriptIdentity } from '../filters/hidden-scripts.ts';
import type { TappedMessage } from '../filters/message-tap.ts';
import type { Refusal } from './refusals.ts';
import type { AttachedTarget } from './targets.ts';

/** What the host asks of one browser's pipe. */
export type PipeCommand =
  /** Sends a whole message to the browser. With `session`, its id is added in place of the brace at `end`. */
  | { type: 'send'; pipeId: number; message: string | Uint8Array; session?: { id: string; end: number } }
  /** Says that the host has handled so many characters of the browser's messages. */
  | { type: 'handled'; pipeId: number; characters: number }
  /** Ignores what clients send from now on. */
  | { type: 'mute'; pipeId: number }
  /** Lets clients send to the CDP session: it has been told what it must know first. */
  | { type: 'release'; pipeId: number; cdpSessionId: string }
  /** Hides these scripts from the client that has the CDP session. */
  | { type: 'hideScripts'; pipeId: number; cdpSessionId: string; scripts: readonly ScriptIdentity[] }
  /** Hides clients from pages. Sent before there are clients. */
  | { type: 'hideClients'; pipeId: number }
  /** Reports clients' commands and their answers. Sent before there are clients. */
  | { type: 'tap'; pipeId: number }
  /** Keeps back what clients send, or passes it on. */
  | { type: 'hold'; pipeId: number; isOnHold: boolean }
  | { type: 'closePipe'; pipeId: number };

/** What the host asks of one client's socket. */
export type ClientCommand =
  /** Reads on: the host has handled what was reported. */
  | { type: 'resume'; clientId: number }
  /** Sends a message of the client to a CDP session that it has. */
  | { type: 'pass'; clientId: number; message: Uint8Array; cdpSessionId: string }
  | { type: 'write'; clientId: number; bytes: Uint8Array }
  /** Ends the writing side after what waits to be written. */
  | { type: 'endWriting'; clientId: number }
  | { type: 'closeClient'; clientId: number };

export type Command = PipeCommand | ClientCommand;

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
  /** A `hold` has been carried out. */
  | { type: 'held'; pipeId: number }
  /** The pipe is closed. Everything that the browser wrote has been delivered, unless it was lost. */
  | { type: 'ended'; pipeId: number; lost?: LostPipe };

/** What the host hears of one client's socket. */
export type ClientReport =
  /** A message that the host must decide on or, with a CDP session, know of. The client waits for `resume`. */
  | { type: 'clientMessage'; clientId: number; message: Uint8Array; cdpSessionId: string | undefined }
  /** Bytes of WebSocket control frames. The client waits for `resume`. */
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
export const pipeCounters = { messages: 0, busyMs: 1 } as const;
export const clientCounters = { bytesRead: 0, isPaused: 1, isPending: 2 } as const;

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
