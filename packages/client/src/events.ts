import type { AccountEvent } from './answers.ts';
import { ConnectionFailedError } from './errors.ts';
import type { EventsOptions } from './options.ts';
import { errorOf } from './transport/answer-error.ts';
import { pause } from './transport/deadline.ts';
import { readEventStream } from './transport/event-stream.ts';
import { backOff, retryDelayMs } from './transport/retries.ts';
import {
  jsonOf,
  notFromGateway,
  type Transport,
  wholeAnswer,
  withNetworkErrors,
} from './transport/transport.ts';

/** The gateway writes at least a comment every 15 seconds. */
const silenceMs = 45_000;
/** How often the pause between tries doubles, up to about half a minute. */
const maxDoublings = 6;

/** Streams the account's events, over as many connections as it takes. */
export async function* followEvents(
  transport: Transport,
  { lastEventId, signal, ...options }: EventsOptions,
): AsyncGenerator<AccountEvent, never> {
  const position = { seq: lastEventId };
  let connected = false;
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    let pauseMs: number | undefined = backOff(0);
    const connection = new AbortController();
    try {
      const chunks = await connect(transport, position.seq, anySignal(signal, connection.signal), connection);
      connected = true;
      failures = 0;
      yield* readEvents(chunks, position);
    } catch (error) {
      signal?.throwIfAborted();
      pauseMs = retryDelayMs(error, 'other', Math.min(failures, maxDoublings));
      const givenUp = !connected && failures >= transport.retries(options);
      if (pauseMs === undefined || givenUp) throw error;
    } finally {
      connection.abort();
    }
    await pause(pauseMs, signal);
  }
}

const anySignal = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one ? AbortSignal.any([one, other]) : other;

/** The stream's bytes, which end in an error when the gateway falls silent. */
async function connect(
  transport: Transport,
  seq: number | undefined,
  signal: AbortSignal,
  connection: AbortController,
): Promise<AsyncGenerator<Uint8Array>> {
  const silent = new ConnectionFailedError('The event stream fell silent.');
  let timer = setTimeout(() => connection.abort(silent), silenceMs);
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const headers = seq === undefined ? {} : { 'last-event-id': String(seq) };
  const response = await transport.begin({ path: '/user/api/events', headers }, signal);
  if (response.status !== 200) throw errorOf(await wholeAnswer(response), 'other');
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body) throw notFromGateway({ status: 200, text: '' });
  return readChunks(response.body, () => {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(silent), silenceMs);
  });
}

async function* readChunks(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await withNetworkErrors(reader.read());
    if (done) return;
    onChunk();
    yield value;
  }
}

/** The events of a stream. An id without an event moves the position too. */
async function* readEvents(
  chunks: AsyncGenerator<Uint8Array>,
  position: { seq: number | undefined },
): AsyncGenerator<AccountEvent> {
  for await (const { id, data } of readEventStream(chunks)) {
    const event = data ? (jsonOf({ status: 200, text: data }) as AccountEvent) : undefined;
    if (id) position.seq = Number(id);
    if (event) yield event;
  }
}
