import { randomBytes } from 'node:crypto';
import type { MeterBackend, MeterCounter, MeterKey } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { steadyNow } from '@turnpike/process/steady-clock';
import { SocketMeter } from '@turnpike/tunnel/byte-meter';
import type { Connection } from '@turnpike/tunnel/sockets/connection';
import type { Logger } from 'pino';
import type { ProxyMetrics } from './proxy-metrics.ts';

/** How often counters are reported. A killed process loses at most the bytes of this time. */
const reportMs = 2000;
const dayMs = 86_400_000;

/** The account, product and country that bytes are counted for. */
export type Owner = Omit<MeterKey, 'day'>;

interface Counter {
  key: MeterKey;
  bytes: number;
  reported: number;
}

const idOf = ({ accountId, product, country }: Owner, day: string): string =>
  `${accountId}\n${product}\n${country}\n${day}`;

/**
 * Counts the bytes of open connections: cumulative counters by owner and UTC day, reported every few seconds and at the
 * end. A report can be repeated, so a failed one is part of the next.
 */
export class Meter {
  /** Identifies this run of the process. Its counters begin at zero. */
  readonly source = `proxy-${randomBytes(12).toString('hex')}`;
  readonly #backend: MeterBackend;
  readonly #logger: Logger;
  readonly #metrics: ProxyMetrics;
  readonly #now: () => number;
  readonly #counters = new Map<string, Counter>();
  readonly #connections = new Set<MeteredConnection>();
  readonly #timer: NodeJS.Timeout;
  #midnight: NodeJS.Timeout | undefined;
  #day = '';
  /** Days since the epoch. Cheaper to compare than its name, for each connection that ends. */
  #dayNumber = 0;
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
    this.#setDay(now());
    this.#timer = setInterval(() => void this.report(), reportMs);
    this.#scheduleMidnight();
  }

  /** Meters a client's connection from its first byte. Bytes are counted once the connection has an owner. */
  connection(connection: Connection): MeteredConnection {
    const metered = new MeteredConnection(connection, (owner, bytes) => this.#add(owner, bytes));
    this.#connections.add(metered);
    connection.onClose(() => {
      this.#changeDay();
      metered.settle();
      this.#connections.delete(metered);
    });
    return metered;
  }

  /** Sends a report after those before it. Resolves when it was sent, or failed and is part of the next. */
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
    this.#changeDay();
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

  /** Counts bytes up to now for the day that ends. */
  #changeDay(): void {
    const now = this.#now();
    if (Math.floor(now / dayMs) === this.#dayNumber) return;
    this.#settleAll();
    this.#setDay(now);
  }

  #setDay(now: number): void {
    this.#dayNumber = Math.floor(now / dayMs);
    this.#day = utcDay(now);
  }

  #scheduleMidnight(): void {
    this.#midnight = setTimeout(
      () => {
        this.#changeDay();
        this.#scheduleMidnight();
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

/**
 * A client's connection, whose bytes are counted for the request that they belong to. Bytes that the client sent ahead
 * belong to the next request, and are counted when that has an owner.
 */
export class MeteredConnection {
  readonly connection: Connection;
  readonly address: string;
  /** The account that logged in, also between requests. */
  accountId: string | undefined;
  readonly #meter: SocketMeter;
  readonly #add: (owner: Owner, bytes: number) => void;
  #owner: Owner | undefined;
  #isTunnel = false;

  constructor(connection: Connection, add: (owner: Owner, bytes: number) => void) {
    this.connection = connection;
    this.address = connection.socket.remoteAddress ?? '';
    this.#meter = new SocketMeter(connection.socket);
    this.#add = add;
  }

  /** Ends a request, before the bytes of the next are read. */
  async endRequest(): Promise<void> {
    if (!this.#owner) return;
    await this.connection.flushed();
    this.settle();
    this.#owner = undefined;
  }

  /** Sets the owner of the current request's bytes, and of earlier ones that have none. */
  assign(owner: Owner): void {
    this.#owner = owner;
  }

  /** From now on all bytes belong to this request. */
  becomeTunnel(): void {
    this.#isTunnel = true;
  }

  /** Counts the new bytes for the owner. */
  settle(): void {
    if (!this.#owner) return;
    const { sent, received } = this.#meter.take(this.#isTunnel ? 0 : this.connection.unreadBytes);
    if (sent + received > 0) this.#add(this.#owner, sent + received);
  }
}
