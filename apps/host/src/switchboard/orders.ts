import type { AttachedTarget } from '../chromium/controller.ts';
import type { ScriptIdentity } from './hidden-scripts.ts';

/** What the host tells the thread to do, in this order. */
export type Order =
  | { do: 'open'; line: number; input: number; output: number; counters: Float64Array }
  /** Whole messages to the browser. */
  | { do: 'send'; line: number; message: string | Uint8Array }
  /** So many characters of the browser's messages have been dealt with. */
  | { do: 'handled'; line: number; characters: number }
  /** Clients are heard no more. */
  | { do: 'mute'; line: number }
  /** The session has been told what it must know first. */
  | { do: 'letGo'; line: number; session: string }
  /** The client is not told of these scripts in the session. */
  | { do: 'hideScripts'; line: number; session: string; scripts: readonly ScriptIdentity[] }
  /** Nothing more is read from the browser. */
  | { do: 'cut'; line: number }
  | ({ do: 'connect'; line: number; caller: number } & CallerStart)
  /** What was reported of the caller has been dealt with. */
  | { do: 'goOn'; caller: number }
  /** A message of the caller's, to a session that it has. */
  | { do: 'pass'; caller: number; message: Uint8Array }
  | { do: 'write'; caller: number; bytes: Uint8Array }
  /** Nothing is written after what is. */
  | { do: 'end'; caller: number }
  | { do: 'drop'; caller: number }
  | { do: 'stop' };

export interface CallerStart {
  descriptor: number;
  rootSession: string;
  /** What has been read from it already. */
  first: Uint8Array;
  counters: Float64Array;
}

/** What the thread tells the host. */
export type Report =
  /** Of no client's session. */
  | { tell: 'message'; line: number; text: string }
  /** A client's, found by way of the parent. */
  | { tell: 'attached'; line: number; caller: number; target: AttachedTarget; parent: string }
  | { tell: 'detached'; line: number; caller: number; session: string }
  /** Everything that the browser wrote has been delivered. */
  | { tell: 'ended'; line: number }
  /** For the host to judge, or, of a session, to know; the caller waits. */
  | { tell: 'asked'; caller: number; message: Uint8Array; session: string | undefined }
  /** Of other frames than whole messages of text; the caller waits. */
  | { tell: 'other'; caller: number; bytes: Uint8Array }
  /** It does not read: nothing is delivered to it any more. */
  | { tell: 'slow'; caller: number }
  | { tell: 'gone'; caller: number };

/** Where things stand, for the host to look at any time. */
export const lineCounters = { messages: 0 } as const;
export const callerCounters = { bytesRead: 0, isPaused: 1 } as const;

/** In memory that both threads see. */
export function newCounters(kinds: Record<string, number>): Float64Array {
  return new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * Object.keys(kinds).length));
}
