import { errorOf } from './answer-error.ts';
import type { AccountEvent } from './answers.ts';
import { pause } from './deadline.ts';
import { ConnectionFailedError } from './errors.ts';
import type { EventsOptions } from './options.ts';
import { backOff, pauseBeforeRepeat } from './repeats.ts';
import { carried, jsonOf, notOurs, type Transport, wholeAnswer } from './transport.ts';

/** The gateway says something every 15 seconds, be it nothing. */
const silenceMs = 45_000;
/** Doublings of the pause between tries, up to about half a minute. */
const mostDoublings = 6;

/** The account's events, over as many connections as it takes. */
export async function* followEvents(
  transport: Transport,
  { lastEventId, signal, ...options }: EventsOptions,
): AsyncGenerator<AccountEvent, never> {
  const position = { seq: lastEventId };
  let connected = false;
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    let pauseMs: number | undefined = backOff(0);
    const line = new AbortController();
    try {
      const lines = await connect(transport, position.seq, anySignal(signal, line.signal), line);
      connected = true;
      failures = 0;
      yield* readEvents(lines, position);
    } catch (error) {
      signal?.throwIfAborted();
      pauseMs = pauseBeforeRepeat(error, 'other', Math.min(failures, mostDoublings));
      const givenUp = !connected && failures >= transport.retries(options);
      if (pauseMs === undefined || givenUp) throw error;
    } finally {
      line.abort();
    }
    await pause(pauseMs, signal);
  }
}

const anySignal = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal =>
  one ? AbortSignal.any([one, other]) : other;

/** The lines of a stream, which ends in an error when the gateway falls silent. */
async function connect(
  transport: Transport,
  seq: number | undefined,
  signal: AbortSignal,
  line: AbortController,
): Promise<AsyncGenerator<string>> {
  const silent = new ConnectionFailedError('the event stream fell silent');
  let timer = setTimeout(() => line.abort(silent), silenceMs);
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const headers = seq === undefined ? {} : { 'last-event-id': String(seq) };
  const response = await transport.begin({ path: '/user/api/events', headers }, signal);
  if (response.status !== 200) throw errorOf(await wholeAnswer(response), 'other');
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body) throw notOurs({ status: 200, text: '' });
  return linesOf(response.body, () => {
    clearTimeout(timer);
    timer = setTimeout(() => line.abort(silent), silenceMs);
  });
}

async function* linesOf(body: ReadableStream<Uint8Array>, onHeard: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await carried(reader.read());
    if (done) return;
    onHeard();
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** As https://html.spec.whatwg.org/multipage/server-sent-events.html has it; an id counts also without an event. */
async function* readEvents(
  lines: AsyncGenerator<string>,
  position: { seq: number | undefined },
): AsyncGenerator<AccountEvent> {
  let id: string | undefined;
  let data = '';
  for await (const line of lines) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'data') data += value;
    else if (line === '') {
      const event = data ? (jsonOf({ status: 200, text: data }) as AccountEvent) : undefined;
      if (id !== undefined) position.seq = Number(id);
      [id, data] = [undefined, ''];
      if (event) yield event;
    }
  }
}
