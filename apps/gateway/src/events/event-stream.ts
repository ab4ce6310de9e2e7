import type { ServerResponse } from 'node:http';
import { Poll } from '@turnpike/process/poll';
import { Slices } from '@turnpike/process/work/slices';
import type { Logger } from 'pino';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { Context } from '../seams/context.ts';
import type { Database } from '../store/database.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { EventRow } from '../store/tables/event-tables.ts';
import type { AccountRow } from '../store/tables.ts';
import { eventPositions, eventsAfter } from './event-store.ts';
import { presentEvent } from './present-event.ts';

const pollMs = 500;
/** How often a quiet stream gets a comment, so that proxies in between do not close it. */
const commentMs = 15_000;
const pageSize = 200;
const maxStreamsPerAccount = 10;

interface Stream {
  accountId: string;
  keyHash: string;
  seq: number;
  response: ServerResponse;
  /** By `performance.now()`. */
  wroteAt: number;
}

type Position = Awaited<ReturnType<typeof eventPositions>>[number];

/** The open event streams. One query serves them all while nothing happens. */
export class EventStreams implements AsyncDisposable {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #metrics: GatewayMetrics;
  readonly #streams = new Set<Stream>();
  readonly #poll: Poll;

  constructor({ db, logger, metrics }: Pick<Context, 'db' | 'logger' | 'metrics'>) {
    this.#db = db;
    this.#logger = logger;
    this.#metrics = metrics;
    this.#poll = new Poll(
      pollMs,
      () => this.#pollOnce(),
      (error) => logger.warn({ err: error }, 'could not read events from the store; will retry'),
    );
  }

  /** Opens a stream. False: the account has too many. */
  open(account: AccountRow, seq: number, response: ServerResponse): boolean {
    const own = [...this.#streams].filter(({ accountId }) => accountId === account.id);
    if (own.length >= maxStreamsPerAccount) return false;
    const stream = {
      accountId: account.id,
      keyHash: account.key_hash,
      seq,
      response,
      wroteAt: performance.now(),
    };
    this.#streams.add(stream);
    response.once('close', () => this.#streams.delete(stream));
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    // A client that loses the stream before the first event continues from here, and misses none.
    response.write(`id: ${seq}\nretry: 2000\n\n`);
    return true;
  }

  /** Ends the streams. Their clients reconnect to another gateway, and continue where they were. */
  close(): void {
    for (const { response } of this.#streams) response.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#poll[Symbol.asyncDispose]();
  }

  async #pollOnce(): Promise<void> {
    if (this.#streams.size === 0) return;
    const accountIds = [...new Set([...this.#streams].map(({ accountId }) => accountId))];
    const positions = new Map((await eventPositions(this.#db, accountIds)).map((row) => [row.id, row]));
    const slices = new Slices();
    for (const stream of this.#streams) {
      await slices.pause();
      try {
        await this.#serve(stream, positions.get(stream.accountId));
      } catch (error) {
        // An outage of the store concerns all streams; they miss nothing meanwhile.
        if (isStoreOutage(error)) throw error;
        this.#failed(stream, error, 'could not serve an event stream; will retry');
      }
    }
  }

  async #serve(stream: Stream, position: Position | undefined): Promise<void> {
    // A key that was replaced ends the streams that it opened.
    if (position?.status !== 'active' || position.key_hash !== stream.keyHash) stream.response.end();
    else if (position.event_seq > stream.seq) await this.#advance(stream);
    else if (performance.now() - stream.wroteAt > commentMs && !stream.response.writableNeedDrain)
      this.#write(stream, ':\n\n');
  }

  /** Sends new events, unless the client is not reading; it then gets them later. */
  async #advance(stream: Stream): Promise<void> {
    if (stream.response.writableNeedDrain) return;
    const events = await eventsAfter(this.#db, stream.accountId, stream.seq, pageSize);
    const last = events.at(-1);
    if (!last) return;
    this.#write(stream, events.map((event) => this.#frame(stream, event)).join(''));
    stream.seq = last.seq;
  }

  /** Formats an event. One that fails is left out; the gap in the numbers shows it. */
  #frame(stream: Stream, row: EventRow): string {
    try {
      return `id: ${row.seq}\nevent: ${row.type}\ndata: ${JSON.stringify(presentEvent(row))}\n\n`;
    } catch (error) {
      this.#failed(stream, error, 'could not format an event');
      return '';
    }
  }

  #failed({ accountId }: Stream, error: unknown, message: string): void {
    this.#metrics.itemFailed('event_stream');
    this.#logger.warn({ err: error, accountId }, message);
  }

  #write(stream: Stream, text: string): void {
    stream.wroteAt = performance.now();
    stream.response.write(text);
  }
}
