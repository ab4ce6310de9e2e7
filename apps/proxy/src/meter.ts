import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { MeterBackend, MeterCounter, MeterKey } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { steadyNow } from '@turnpike/process/steady-clock';
import type { Logger } from 'pino';
import type { ProxyMetrics } from './proxy-metrics.ts';

/** How often counters are reported: what a killed process loses at most. */
const reportMs = 2000;

/** For whom bytes are counted. */
export type Owner = Omit<MeterKey, 'day'>;

interface Counter {
  key: MeterKey;
  bytes: number;
  reported: number;
}

const idOf = ({ accountId, product, country }: Owner, day: string): string =>
  `${accountId}\n${product}\n${country}\n${day}`;

/**
 * Counts bytes of connections while they flow: cumulative counters by owner and UTC day, reported every few
 * seconds and at the end. A report is safe to repeat, so one that failed is simply part of the next.
 */
export class Meter {
  /** One run of this process: counters begin at nothing with it. */
  readonly source = `proxy-${randomBytes(12).toString('hex')}`;
  readonly #backend: MeterBackend;
  readonly #logger: Logger;
  readonly #metrics: ProxyMetrics;
  readonly #now: () => number;
  readonly #counters = new Map<string, Counter>();
  readonly #connections = new Set<MeteredConnection>();
  readonly #timer: NodeJS.Timeout;
  #midnight: NodeJS.Timeout | undefined;
  #day: string;
  #reporting: Promise<void> = Promise.resolve();

  constructor(
    backend: MeterBackend,
    logger: Logger,
    metrics: ProxyMetrics,
    now: (() => number) | undefined = steadyNow,
  ) {
    this.#backend = backend;
    this.#logger = logger;
    this.#metrics = metrics;
    this.#now = now;
    this.#day = utcDay(now());
    this.#timer = setInterval(() => void this.report(), reportMs);
    this.#awaitMidnight();
  }

  /** Meters a client's connection from its first byte on; the bytes are nobody's until it has an owner. */
  connection(socket: Socket): MeteredConnection {
    const connection = new MeteredConnection(socket, (owner, bytes) => this.#add(owner, bytes));
    this.#connections.add(connection);
    socket.once('close', () => {
      this.#turnDay();
      connection.settle();
      this.#connections.delete(connection);
    });
    return connection;
  }

  /** Reports follow each other. Resolves when this one is through, also when it failed. */
  report(): Promise<void> {
    this.#reporting = this.#reporting.then(() => this.#report());
    return this.#reporting;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#midnight);
    await this.report();
  }

  async #report(): Promise<void> {
    this.#turnDay();
    this.#settleAll();
    const changed = [...this.#counters.values()].filter(({ bytes, reported }) => bytes > reported);
    if (changed.length > 0) {
      const sent = changed.map((counter) => ({ counter, bytes: counter.bytes }));
      const counters: MeterCounter[] = sent.map(({ counter, bytes }) => ({
        ...counter.key,
        bytes: BigInt(bytes),
      }));
      try {
        await this.#backend.report({ source: this.source, counters });
        for (const { counter, bytes } of sent) counter.reported = bytes;
        this.#metrics.report('stored');
      } catch (error) {
        this.#metrics.report('failed');
        this.#logger.warn({ err: error }, 'bandwidth could not be reported yet; trying again');
      }
    }
    for (const [id, { key, bytes, reported }] of this.#counters) {
      if (key.day !== this.#day && bytes === reported) this.#counters.delete(id);
    }
  }

  #settleAll(): void {
    for (const connection of this.#connections) connection.settle();
  }

  /** What flowed until now belongs to the day that ends. */
  #turnDay(): void {
    const today = utcDay(this.#now());
    if (today === this.#day) return;
    this.#settleAll();
    this.#day = today;
  }

  #awaitMidnight(): void {
    const dayMs = 86_400_000;
    this.#midnight = setTimeout(
      () => {
        this.#turnDay();
        this.#awaitMidnight();
      },
      dayMs - (this.#now() % dayMs),
    );
    this.#midnight.unref();
  }

  #add(owner: Owner, bytes: number): void {
    this.#metrics.bytes(owner.product, bytes);
    const id = idOf(owner, this.#day);
    const counter = this.#counters.get(id);
    if (counter) counter.bytes += bytes;
    else this.#counters.set(id, { key: { ...owner, day: this.#day }, bytes, reported: 0 });
  }
}

export class MeteredConnection {
  readonly #socket: Socket;
  readonly #add: (owner: Owner, bytes: number) => void;
  #owner: Owner | undefined;
  #settled = 0;

  constructor(socket: Socket, add: (owner: Owner, bytes: number) => void) {
    this.#socket = socket;
    this.#add = add;
  }

  /** From here on the bytes are this owner's, and those before it that were nobody's. */
  assign(owner: Owner): void {
    if (this.#owner) this.settle();
    this.#owner = owner;
  }

  settle(): void {
    if (!this.#owner) return;
    // Bytes that still wait in this process have not been on the wire.
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    const bytes = bytesRead + bytesWritten - writableLength;
    if (bytes > this.#settled) this.#add(this.#owner, bytes - this.#settled);
    this.#settled = Math.max(bytes, this.#settled);
  }
}
