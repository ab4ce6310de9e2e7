import { Gauge, type Registry } from 'prom-client';
import type { Gateway } from '../gateway.ts';
import { countRunningSessions, hostHeartbeats, pingStore } from './census-store.ts';

/** A host that was not heard of for longer was taken out of service. */
const forgottenMs = 24 * 60 * 60_000;

/** What only the store knows, asked when the metrics are read. While the store is away there is nothing to say. */
export function takeCensus(registry: Registry, { db, now }: Pick<Gateway, 'db' | 'now'>): void {
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
      this.reset();
      const counts = await countRunningSessions(db).catch(() => ({}));
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'turnpike_gateway_host_heartbeat_age_seconds',
    help: 'How long ago each host was last heard of, up to a day: the same on every gateway.',
    labelNames: ['host'],
    registers,
    async collect() {
      this.reset();
      const heartbeats = await hostHeartbeats(db, now() - forgottenMs).catch(() => []);
      for (const { name, heartbeat_at } of heartbeats) {
        this.set({ host: name }, Math.max(0, now() - heartbeat_at) / 1000);
      }
    },
  });
}
