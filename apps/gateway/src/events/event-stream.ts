import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { Context } from '../seams/context.ts';
import type { Database } from '../store/database.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { AccountRow, EventRow } from '../store/tables.ts';
import { eventPositions, eventsAfter } from './event-store.ts';
import { presentEvent } from './present-event.ts';

const pollMs = 500;
/** Keeps what stands between from taking a quiet stream for a dead one. */
const commentMs = 15_000;
const pageSize = 200;
const maxStreamsPerAccount = 10;

interface Stream {
  accountId: string;
  keyHash: string;
  seq: number;
  response: ServerResponse;
  wroteAt: number;
}

type Position = Awaited<ReturnType<typeof eventPositions>>[number];

/** The accounts' open event streams. One question to the store serves them all while nothing happens. */
export class EventStreams implements AsyncDisposable {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #metrics: GatewayMetrics;
  readonly #streams = new Set<Stream>();
  readonly #timer: NodeJS.Timeout;
  #turn: Promise<void> = Promise.resolve();

  constructor({ db, logger, metrics }: Pick<Context, 'db' | 'logger' | 'metrics'>) {
    this.#db = db;
    this.#logger = logger;
    this.#metrics = metrics;
    this.#timer = setInterval(() => {
      this.#turn = this.#turn
        .then(() => this.#takeTurn())
        .catch((error) => this.#logger.warn({ err: error }, 'event streams wait for the store'));
    }, pollMs);
  }

  /** False: the account has as many as it may. */
  open(account: AccountRow, seq: number, response: ServerResponse): boolean {
    const own = [...this.#streams].filter(({ accountId }) => accountId === account.id);
    if (own.length >= maxStreamsPerAccount) return false;
    const stream = { accountId: account.id, keyHash: account.key_hash, seq, response, wroteAt: Date.now() };
    this.#streams.add(stream);
    response.once('close', () => this.#streams.delete(stream));
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // Whoever loses the stream before its first event comes back to here, and misses none.
    response.write(`id: ${seq}\nretry: 2000\n\n`);
    return true;
  }

  /** Ends the streams; their clients come back, to another gateway, where they left off. */
  close(): void {
    for (const { response } of this.#streams) response.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.close();
    await this.#turn;
  }

  async #takeTurn(): Promise<void> {
    if (this.#streams.size === 0) return;
    const accountIds = [...new Set([...this.#streams].map(({ accountId }) => accountId))];
    const positions = new Map((await eventPositions(this.#db, accountIds)).map((row) => [row.id, row]));
    for (const stream of this.#streams) {
      try {
        await this.#serve(stream, positions.get(stream.accountId));
      } catch (error) {
        // What the store cannot answer for one it cannot for the others; they miss nothing meanwhile.
        if (isStoreOutage(error)) throw error;
        this.#failed(stream, error, 'an event stream could not be served; trying again');
      }
    }
  }

  async #serve(stream: Stream, position: Position | undefined): Promise<void> {
    // A key that is dead ends what it opened.
    if (position?.status !== 'active' || position.key_hash !== stream.keyHash) stream.response.end();
    else if (position.event_seq > stream.seq) await this.#advance(stream);
    else if (Date.now() - stream.wroteAt > commentMs) this.#write(stream, ':\n\n');
  }

  /** A client that does not read is not written to; it misses nothing. */
  async #advance(stream: Stream): Promise<void> {
    if (stream.response.writableNeedDrain) return;
    const events = await eventsAfter(this.#db, stream.accountId, stream.seq, pageSize);
    const last = events.at(-1);
    if (!last) return;
    this.#write(stream, events.map((event) => this.#frame(stream, event)).join(''));
    stream.seq = last.seq;
  }

  /** An event that cannot be shown is left out; the number of the next one tells its reader. */
  #frame(stream: Stream, row: EventRow): string {
    try {
      return `id: ${row.seq}\nevent: ${row.type}\ndata: ${JSON.stringify(presentEvent(row))}\n\n`;
    } catch (error) {
      this.#failed(stream, error, 'an event could not be shown');
      return '';
    }
  }

  #failed({ accountId }: Stream, error: unknown, message: string): void {
    this.#metrics.itemFailed('event_stream');
    this.#logger.warn({ err: error, accountId }, message);
  }

  #write(stream: Stream, text: string): void {
    stream.wroteAt = Date.now();
    stream.response.write(text);
  }
}
