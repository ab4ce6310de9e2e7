import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../store/database.ts';
import { pingStore } from '../store/store-health.ts';
import {
  countCrawlRunners,
  countCrawls,
  countProxies,
  countRunningSessions,
  countWaiting,
  type HostFigures,
  hostFigures,
  longestCrawlWait,
} from './gauge-store.ts';

/** A host that was not heard of for longer is no longer in service. */
const forgottenMs = 24 * 60 * 60_000;

/** Registers gauges that read the store when the metrics are read. Without a store they have no values. */
export function registerStoreGauges(registry: Registry, { db, now }: { db: Database; now(): number }): void {
  const registers = [registry];
  new Gauge({
    name: 'turnpike_gateway_store_up',
    help: 'Whether the store answers this gateway.',
    registers,
    async collect() {
      await pingStore(db).then(
        () => this.set(1),
        () => this.set(0),
      );
    },
  });
  new Gauge({
    name: 'turnpike_gateway_sessions',
    help: 'Sessions in the store by state, STARTING or ACTIVE: of the whole service, the same on every gateway.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await countRunningSessions(db).catch(() => ({}));
      this.reset();
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'turnpike_gateway_creates_waiting',
    help: 'Creates that wait for a slot or a seat: of the whole service, the same on every gateway.',
    registers,
    async collect() {
      this.set(await countWaiting(db, now()).catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'turnpike_gateway_proxies',
    help: 'Saved proxies by state, unknown, healthy or failing: of the whole service, the same on every gateway.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await countProxies(db).catch(() => ({}));
      this.reset();
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
  registerCrawlGauges(registers, { db, now });
  const hosts = shared(() => hostFigures(db, now() - forgottenMs).catch(() => []));
  const hostGauge = (name: string, help: string, read: (host: HostFigures) => number) => {
    new Gauge({
      name,
      help,
      labelNames: ['host'],
      registers,
      async collect() {
        const figures = await hosts();
        this.reset();
        for (const host of figures) this.set({ host: host.name }, read(host));
      },
    });
  };
  hostGauge(
    'turnpike_gateway_host_heartbeat_age_seconds',
    'How long ago each host was last heard of, up to a day: the same on every gateway.',
    ({ heartbeat_at }) => Math.max(0, now() - heartbeat_at) / 1000,
  );
  hostGauge(
    'turnpike_gateway_host_seats',
    'Seats of each host as of its last heartbeat: the same on every gateway.',
    ({ seats }) => seats,
  );
  hostGauge(
    'turnpike_gateway_host_seats_taken',
    'Seats taken at each host as of its last heartbeat: the same on every gateway.',
    ({ used }) => used,
  );
}

function registerCrawlGauges(registers: Registry[], { db, now }: { db: Database; now(): number }): void {
  new Gauge({
    name: 'turnpike_gateway_crawls',
    help: 'Crawls that are queued or run: of the whole service, the same on every gateway.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await countCrawls(db).catch(() => ({}));
      this.reset();
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'turnpike_gateway_crawl_runners',
    help: 'Sessions that crawls have or open: of the whole service, the same on every gateway.',
    registers,
    async collect() {
      this.set(await countCrawlRunners(db).catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'turnpike_gateway_crawl_oldest_wait_seconds',
    help: 'How long the pages of a crawl have waited for a session, the longest of all crawls that may go on now.',
    registers,
    async collect() {
      const read = async () => now() - ((await longestCrawlWait(db, now())) ?? now());
      this.set(Math.max(0, await read().catch(() => Number.NaN)) / 1000);
    },
  });
}

/** Shares one read among all callers of the same moment. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
