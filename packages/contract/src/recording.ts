/** The events and pictures of a recorded session, and how a host hands them to a gateway. */

/** Part of a recording: about two seconds. Numbered from 0 without gaps; a repeat of one that is stored changes nothing. */
export interface RecordingChunk {
  sessionId: string;
  index: number;
  /** Milliseconds between the start of the recording and the sending of this chunk, by the host's steady clock. */
  ageMs: number;
  /** Gzip of newline-delimited JSON: one `RecordedEvent` a line. */
  events: Buffer;
  /** JPEG files, in the order of the `picture` events of this chunk. */
  pictures: readonly Buffer[];
  summary: ChunkSummary;
  /** Whether this is the last chunk. */
  isLast: boolean;
}

/** What an index of the recording shows without reading its events. */
export interface ChunkSummary {
  /** Times of the first and the last event, in milliseconds since the start. */
  fromMs: number;
  toMs: number;
  events: number;
  /** Failed requests, statuses from 400 on, exceptions, console errors, failed actions and crashes. */
  errors: number;
  /** Times of the pictures, in milliseconds since the start. */
  pictureTimes: readonly number[];
}

/**
 * - stored: go on;
 * - full: the recording may not grow any more, stop;
 * - unknown: there is no such recorded session (any more), stop.
 */
export type AppendResult = 'stored' | 'full' | 'unknown';

export interface RecordingSink {
  /** Rejects when it cannot be stored now: repeat it. */
  append(chunk: RecordingChunk, signal: AbortSignal): Promise<AppendResult>;
}

/**
 * What a client did, in its own words, with one or several commands. It is told when it is over, with the time of its
 * beginning.
 */
export interface RecordedAction {
  kind: 'action';
  /** The number of the client; 0: not known. */
  client: number;
  /** When it began, in milliseconds since the start. */
  from: number;
  ms: number;
  /** Such as `goto`, `click`, `fill`, `press`, `evaluate`. */
  name: string;
  /** How the client named the element: a selector. */
  target?: string;
  /** The element as the accessibility tree has it. */
  element?: { role: string; name: string };
  /** What else there is to say of it: an address, a key. */
  detail?: string;
  /** How often it was repeated, if more than once. */
  times?: number;
  error?: string;
}

/** Fields of all events: milliseconds since the start (one decimal), and the tab where there is one. */
interface Timed {
  t: number;
  tab?: number;
}

export type RecordedEvent = Timed &
  (
    | { kind: 'start'; stealth: boolean; bodies: boolean; picturesPerSecond: number; headless: boolean }
    | { kind: 'tab.opened'; url: string; openerTab?: number }
    | { kind: 'tab.changed'; url: string; title: string }
    | { kind: 'tab.shown' }
    | { kind: 'tab.closed' }
    | { kind: 'tab.crashed' }
    | { kind: 'navigated'; url: string; isMainFrame: boolean }
    | { kind: 'dialog'; type: string; message: string }
    | { kind: 'dialog.closed'; accepted: boolean }
    | { kind: 'download'; id: string; url: string; name: string }
    | { kind: 'download.done'; id: string; state: 'completed' | 'canceled'; bytes: number }
    | {
        kind: 'request';
        id: string;
        method: string;
        url: string;
        type: string;
        initiator: string;
        headers: Record<string, string>;
        /** The request that was redirected to this one has the same id and ended just before. */
        isRedirect: boolean;
      }
    | {
        kind: 'response';
        id: string;
        status: number;
        statusText: string;
        mimeType: string;
        protocol: string;
        fromCache: boolean;
        headers: Record<string, string>;
        /** Milliseconds of its phases, where the browser tells them. */
        timing?: { blocked?: number; connect?: number; ssl?: number; send?: number; wait?: number };
      }
    | { kind: 'request.done'; id: string; bytes: number }
    | { kind: 'request.failed'; id: string; error: string; isCanceled: boolean }
    | { kind: 'body'; id: string; of: 'request' | 'response'; text?: string; base64?: string; isCut: boolean }
    | { kind: 'console'; level: string; text: string; url?: string; line?: number }
    | { kind: 'exception'; text: string; url?: string; line?: number }
    | { kind: 'client.connected'; client: number }
    | { kind: 'client.disconnected'; client: number }
    | { kind: 'command'; client: number; command: number; method: string; params?: unknown }
    | { kind: 'command.done'; client: number; command: number; ms: number; error?: string; result?: unknown }
    | RecordedAction
    | { kind: 'proxy.failed'; host: string; port: number; proxy: string; cause: string }
    | { kind: 'person'; action: 'pointer' | 'keys' }
    | { kind: 'paused'; by: string }
    | { kind: 'resumed'; by: string }
    | { kind: 'picture'; chunk: number; picture: number; width: number; height: number }
    /** `milliseconds`: the end of the session could not be stored, and so much is missing. */
    | { kind: 'dropped'; what: 'events' | 'pictures' | 'bodies' | 'milliseconds'; count: number }
    | { kind: 'end'; reason: string }
  );
