import type {
  RecordedEvent,
  Recording,
  RecordingFormat,
  RecordingPage,
  RecordingSummary,
  ShareLink,
} from './answers.ts';
import type { CallOptions } from './options.ts';
import { errorOf } from './transport/answer-error.ts';
import { type Request, type Transport, wholeAnswer, withNetworkErrors } from './transport/transport.ts';

const pageSize = '200';

/** Recordings of sessions that were created with `record`. */
export class Recordings {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Iterates over the recordings, newest first, page by page. */
  async *list(options: CallOptions = {}): AsyncGenerator<RecordingSummary> {
    let cursor: string | undefined;
    do {
      const request = { path: '/user/api/recordings', query: { limit: pageSize, cursor } };
      const page = await this.#transport.json<RecordingPage>(request, options);
      yield* page.recordings;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Reads a recording and its chunks. With `after`, only later chunks: ask again while the session runs. */
  get(sessionId: string, { after, ...options }: CallOptions & { after?: number } = {}): Promise<Recording> {
    return this.#transport.json({ path: pathOf(sessionId), query: { after: after?.toString() } }, options);
  }

  /** Iterates over the events, in order, as they are read; `from` and `to` are numbers of chunks. */
  async *events(
    sessionId: string,
    { from, to, ...options }: CallOptions & { from?: number; to?: number } = {},
  ): AsyncGenerator<RecordedEvent> {
    const query = { from: from?.toString(), to: to?.toString() };
    const body = await this.#stream({ path: `${pathOf(sessionId)}/events`, query }, options);
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as RecordedEvent;
    }
  }

  /** Reads a picture, a JPEG: the number of its chunk, and its place in the chunk's `pictureTimes`. */
  async picture(
    sessionId: string,
    chunk: number,
    picture: number,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const body = await this.#stream({ path: `${pathOf(sessionId)}/pictures/${chunk}/${picture}` }, options);
    return new Uint8Array(await withNetworkErrors(new Response(body).arrayBuffer()));
  }

  /** Streams an export: `await writeFile(path, await turnpike.recordings.export(id, 'har'))`. */
  export(
    sessionId: string,
    format: RecordingFormat,
    options: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return this.#stream({ path: `${pathOf(sessionId)}/export`, query: { format } }, options);
  }

  async delete(sessionId: string, options: CallOptions = {}): Promise<void> {
    await this.#transport.call({ path: pathOf(sessionId), method: 'DELETE' }, options);
  }

  /** Creates a link to the player that expires. Whoever has it can read this recording. */
  share(sessionId: string, { hours, ...options }: CallOptions & { hours: number }): Promise<ShareLink> {
    const path = `${pathOf(sessionId)}/share`;
    return this.#transport.json({ path, method: 'POST', body: { hours } }, options);
  }

  async #stream(request: Request, options: CallOptions): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const deadline = this.#transport.deadline(options);
    const response = await this.#transport.begin(request, deadline.signal).catch((error) => {
      throw deadline.isOver ? deadline.reason() : error;
    });
    if (response.status !== 200) throw errorOf(await wholeAnswer(response), 'other');
    return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
  }
}

const pathOf = (sessionId: string): string => `/api/browser/${encodeURIComponent(sessionId)}/recording`;
