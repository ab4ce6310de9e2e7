import type { AttachedTarget } from '../chromium/protocol.ts';
import type { Refusal } from '../relay/refusals.ts';
import type { ScriptIdentity } from './hidden-scripts.ts';

/** What the host tells the thread to do, in this order. */
export type Order =
  | ({ do: 'open'; line: number } & LineStart)
  /** A whole message to the browser; with a session, that is added to it in place of the brace at `end`. */
  | { do: 'send'; line: number; message: string | Uint8Array; session?: { id: string; end: number } }
  /** So many characters of the browser's messages have been dealt with. */
  | { do: 'handled'; line: number; characters: number }
  /** Clients are heard no more. */
  | { do: 'mute'; line: number }
  /** The session has been told what it must know first. */
  | { do: 'release'; line: number; session: string }
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

export interface LineStart {
  input: number;
  output: number;
  counters: Float64Array;
  /** What may be held for the session at once, and what both threads hold of it. */
  budgetBytes: number;
  held: Float64Array;
}

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
  /** Bytes of control frames; the caller waits. */
  | { tell: 'control'; caller: number; bytes: Uint8Array }
  /** Its messages do not count any more, and nothing is delivered to it. It is to be told, where it still can. */
  | { tell: 'refused'; caller: number; refusal: Refusal; canBeTold: boolean }
  | { tell: 'gone'; caller: number }
  /** An error that ended one line or one caller, and nothing else. */
  | { tell: 'fault'; about: { line: number } | { caller: number } | undefined; error: string };

/** What is about one caller, and what about one line. */
export type CallerReport = Extract<Report, { tell: 'asked' | 'control' | 'refused' | 'gone' }>;
export type LineReport = Extract<Report, { tell: 'message' | 'attached' | 'detached' | 'ended' }>;

/** Where things stand, for the host to look at any time. */
export const lineCounters = { messages: 0 } as const;
export const callerCounters = { bytesRead: 0, isPaused: 1, isPending: 2 } as const;

/** In memory that both threads see. */
export function newCounters(kinds: Record<string, number>): Float64Array {
  return new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * Object.keys(kinds).length));
}

/** Past this, bytes are handed over and not copied. */
const copiedBytes = 64 * 1024;

/** The memory that goes to the other thread with these. */
export function transferred(told: readonly (Order | Report)[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const one of told) {
    const bytes = 'message' in one ? one.message : 'bytes' in one ? one.bytes : undefined;
    if (bytes instanceof Uint8Array && bytes.length > copiedBytes) buffers.push(bytes.buffer as ArrayBuffer);
  }
  return buffers;
}

export function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
