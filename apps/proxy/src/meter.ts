import { randomBytes } from 'node:crypto';
import type { MeterBackend, MeterCounter, MeterKey } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import type { Connection } from '@turnpike/process/connection';
import { wireBytes } from '@turnpike/process/owned-socket';
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
  connection(connection: Connection): MeteredConnection {
    const metered = new MeteredConnection(connection, (owner, bytes) => this.#add(owner, bytes));
    this.#connections.add(metered);
    connection.onClose(() => {
      this.#turnDay();
      metered.settle();
      this.#connections.delete(metered);
    });
    return metered;
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

/**
 * A client's connection, whose bytes are counted for the request that they are part of. What the client sent
 * ahead is the next request's, and belongs to nobody until that has an owner.
 */
export class MeteredConnection {
  readonly connection: Connection;
  readonly address: string;
  /** Whose it is, also between requests. */
  accountId: string | undefined;
  readonly #add: (owner: Owner, bytes: number) => void;
  #owner: Owner | undefined;
  #isTunnel = false;
  #settled = 0;

  constructor(connection: Connection, add: (owner: Owner, bytes: number) => void) {
    this.connection = connection;
    this.address = connection.socket.remoteAddress ?? '';
    this.#add = add;
  }

  /** A request is over, and the next one's bytes are not read yet. */
  async endRequest(): Promise<void> {
    if (!this.#owner) return;
    await this.connection.flushed();
    this.settle();
    this.#owner = undefined;
  }

  /** The request's bytes are this owner's, and those before it that are nobody's. */
  assign(owner: Owner): void {
    this.#owner = owner;
  }

  /** Everything from here on is this one request's. */
  becomeTunnel(): void {
    this.#isTunnel = true;
  }

  settle(): void {
    if (!this.#owner) return;
    const { received, taken, sent } = wireBytes(this.connection.socket);
    const bytes = (this.#isTunnel ? received : taken) + sent;
    if (bytes > this.#settled) this.#add(this.#owner, bytes - this.#settled);
    this.#settled = Math.max(bytes, this.#settled);
  }
}
