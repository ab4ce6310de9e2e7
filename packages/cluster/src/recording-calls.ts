import type { AppendResult, RecordingChunk, RecordingSink } from '@turnpike/contract/recording';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { joinHead, splitHead } from '@turnpike/process/head-and-bytes';
import { within } from '@turnpike/process/within';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ClusterSettings } from './cluster-settings.ts';
import { PrivateClient } from './private-client.ts';

/** How a host sends the parts of recordings to a gateway: a head of JSON with its length before it, then the bytes. */

export const chunkCall = 'internal/recordings/append';
/** A mebibyte of events, eight pictures of 512 KiB, and the head. */
export const maxChunkCallBytes = 6 * 2 ** 20;
const maxHeadBytes = 16 * 1024;

const Milliseconds = Type.Number({ minimum: 0 });
const Count = Type.Integer({ minimum: 0 });
const Head = Type.Object({
  sessionId: Type.String({ minLength: 1, maxLength: 64 }),
  index: Count,
  ageMs: Milliseconds,
  summary: Type.Object({
    fromMs: Milliseconds,
    toMs: Milliseconds,
    events: Count,
    errors: Count,
    pictureTimes: Type.Array(Milliseconds, { maxItems: 8 }),
  }),
  isLast: Type.Boolean(),
  eventBytes: Count,
  pictureBytes: Type.Array(Count, { maxItems: 8 }),
});
type Head = Static<typeof Head>;
const head = Compile(Head);

export function encodeChunk({ events, pictures, ...chunk }: RecordingChunk): Buffer {
  const summary = { ...chunk.summary, pictureTimes: [...chunk.summary.pictureTimes] };
  const pictureBytes = pictures.map(({ length }) => length);
  const said: Head = { ...chunk, summary, eventBytes: events.length, pictureBytes };
  return joinHead(said, events, ...pictures);
}

/** Returns undefined if it is not a chunk. */
export function decodeChunk(body: Buffer): RecordingChunk | undefined {
  const split = splitHead(body, maxHeadBytes);
  const said = split && parseHead(split.head);
  if (!said) return undefined;
  const { rest } = split;
  const { eventBytes, pictureBytes, ...chunk } = said;
  let from = 0;
  const [events = Buffer.alloc(0), ...pictures] = [eventBytes, ...pictureBytes].map((length) => {
    const part = rest.subarray(from, from + length);
    from += length;
    return part;
  });
  return from === rest.length ? { ...chunk, events, pictures } : undefined;
}

function parseHead(json: Buffer): Head | undefined {
  try {
    const value: unknown = parseBoundedJson(json.toString());
    return head.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A part of a recording cannot be stored yet. Its host repeats it. */
export class RepeatChunkError extends Error {
  constructor(why: string) {
    super(`${why} Repeat the chunk.`);
    this.name = 'RepeatChunkError';
  }
}

const tryMs = 20_000;

/** Sends parts of recordings to the gateway that took the last one, and to the others when it fails. */
export class ClusterRecordingSink implements RecordingSink, Disposable {
  readonly #client: PrivateClient;
  #urls: readonly string[];

  constructor(settings: ClusterSettings & { gatewayUrls: readonly string[] }) {
    this.#client = new PrivateClient(settings);
    this.#urls = settings.gatewayUrls;
  }

  async append(chunk: RecordingChunk, signal: AbortSignal): Promise<AppendResult> {
    const body = encodeChunk(chunk);
    const failures: unknown[] = [];
    for (const url of this.#urls) {
      signal.throwIfAborted();
      try {
        using limit = within(tryMs, signal);
        const answer = await this.#client.callWith(url, chunkCall, body, limit.signal);
        this.#urls = [url, ...this.#others(url)];
        return (answer as { result: AppendResult }).result;
      } catch (error) {
        // One that does not answer may have taken all the time: the next call begins with another.
        this.#urls = [...this.#others(url), url];
        failures.push(error);
      }
    }
    const reasons = failures.map((error) => (error as Error).message).join('; ');
    throw new AggregateError(failures, `No gateway stored a part of a recording: ${reasons}`);
  }

  #others(url: string): string[] {
    return this.#urls.filter((other) => other !== url);
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
