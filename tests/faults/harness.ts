import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '@turnpike/process/logger';
import { type Database, openDatabase } from '../../apps/gateway/src/store/database.ts';
import { type Postgres, startPostgres } from '../fixtures/database/postgres.ts';
import { standInBrowserName, type ToStandInHost } from '../fixtures/hosts/stand-in-host-process.ts';
import { freePort } from '../fixtures/network/free-port.ts';
import { processTable } from '../fixtures/process/process-table.ts';
import { withClockOff } from '../fixtures/process/shifted-clock.ts';
import {
  type ClusterGateway,
  type ClusterHost,
  startClusterGateway,
  startClusterHost,
  startStandInHost,
} from '../fixtures/service/cluster.ts';
import type { Trouble } from './model.ts';
import type { Fault } from './plan.ts';
import { preloadQuickTime } from './quick-time.ts';
import { Wire } from './wire.ts';

export interface ClusterOptions {
  gateways?: number;
  hosts?: number;
  browsers?: 'stand-in' | 'real';
  /** Whether leases and the like are shortened; see quick-time. */
  isQuick?: boolean;
  /** How long a create may take; one whose gateway is killed takes as long to be reaped. */
  createSeconds?: number;
  /** How wrong the clocks of its machines are: of the first gateway and the first host, of the second, … and again. */
  clocksOffMs?: readonly number[];
}

/** Machines that are wrong about the time, either way. */
export const hourWrong = [3_600_000, -3_600_000];

/** One gateway, host or store, in whichever process it is at the moment. */
interface Place<T> {
  part: T;
  isDown: boolean;
}

interface HostPlace extends Place<ClusterHost> {
  name: string;
  /** All that it hears and says goes over these. */
  wires: Wire[];
  start(): Promise<ClusterHost>;
}

type Mend = () => unknown;

/** A cluster in processes of its own on a PostgreSQL of its own, and what can go wrong with it. */
export class ClusterHarness implements AsyncDisposable {
  readonly db: Database;
  readonly gateways: readonly Place<ClusterGateway>[];
  readonly hosts: readonly HostPlace[];
  readonly browserKind: 'stand-in' | 'real';
  /** All that ever was. */
  readonly troubles: Trouble[] = [];
  readonly #postgres: Place<Postgres>;
  readonly #undo: AsyncDisposableStack;

  private constructor(
    undo: AsyncDisposableStack,
    parts: Pick<ClusterHarness, 'db' | 'gateways' | 'hosts' | 'browserKind'> & { postgres: Postgres },
  ) {
    this.#undo = undo;
    this.#postgres = { part: parts.postgres, isDown: false };
    this.db = parts.db;
    this.gateways = parts.gateways;
    this.hosts = parts.hosts;
    this.browserKind = parts.browserKind;
  }

  static async start(options: ClusterOptions = {}): Promise<ClusterHarness> {
    const { gateways = 2, hosts = 3, browsers = 'stand-in', isQuick = true } = options;
    const { createSeconds = browsers === 'real' ? 10 : 5 } = options;
    const { clocksOffMs = [0] } = options;
    const timeOf = (index: number): Record<string, string> => {
      const off = clocksOffMs[index % clocksOffMs.length] ?? 0;
      return off === 0 ? quickness : withClockOff(off, quickness);
    };
    const quickness = isQuick ? preloadQuickTime : {};
    await using undo = new AsyncDisposableStack();
    const postgres = undo.use(await startPostgres());
    const url = await postgres.createDatabase();
    const db = await openDatabase({ engine: 'postgres', url }, createLogger('silent'));
    undo.defer(() => db.destroy());
    const env = { TURNPIKE_CREATE_TIMEOUT: `${createSeconds}` };
    const gatewayPlaces: Place<ClusterGateway>[] = [];
    undo.defer(() => disposeAll(gatewayPlaces.map(({ part }) => part)));
    await inOrder(gateways, gatewayPlaces, async (index) => ({
      part: await startClusterGateway(url, { ...env, ...timeOf(index) }),
      isDown: false,
    }));
    const hostPlaces: HostPlace[] = [];
    undo.defer(() => disposeAll(hostPlaces.flatMap(({ part, wires }) => [part, ...wires])));
    await inOrder(hosts, hostPlaces, (index) =>
      placeHost(`host-${index}`, gatewayPlaces, browsers, timeOf(index)),
    );
    await hostsTakeWork(db, hosts);
    const places = { gateways: gatewayPlaces, hosts: hostPlaces };
    return new ClusterHarness(undo.move(), { postgres, db, ...places, browserKind: browsers });
  }

  /** Makes a fault, and answers how it is mended; undefined if there is trouble there already. */
  async make(fault: Fault): Promise<(() => Promise<void>) | undefined> {
    const host = this.hosts[fault.which % this.hosts.length] as HostPlace;
    const gateway = this.gateways[fault.which % this.gateways.length] as Place<ClusterGateway>;
    const place = fault.does.endsWith('host')
      ? host
      : fault.does.endsWith('gateway')
        ? gateway
        : this.#postgres;
    if (place.isDown) return undefined;
    place.isDown = true;
    const trouble: Trouble = { does: fault.does, from: Date.now(), until: Number.POSITIVE_INFINITY };
    if (place === host) trouble.host = host.name;
    this.troubles.push(trouble);
    const mend = await this.#break(fault, host, gateway);
    return async () => {
      await mend();
      trouble.until = Date.now();
      place.isDown = false;
    };
  }

  async #break({ does, cut }: Fault, host: HostPlace, gateway: Place<ClusterGateway>): Promise<Mend> {
    switch (does) {
      case 'kill gateway':
      case 'restart gateway':
        await (does === 'kill gateway' ? gateway.part.kill() : gateway.part.stop());
        return async () => {
          gateway.part = await untilUp(() => gateway.part.again());
        };
      case 'kill host':
        await host.part.kill();
        return async () => {
          host.part = await host.start();
        };
      case 'pause host':
        host.part.pause();
        return () => host.part.resume();
      case 'cut host':
        for (const wire of host.wires) wire.cut(cut);
        return () => {
          for (const wire of host.wires) wire.mend();
        };
      case 'stop postgres':
        await this.#postgres.part.stop();
        return () => this.#postgres.part.start();
      case 'freeze postgres':
        this.#postgres.part.freeze();
        return () => this.#postgres.part.thaw();
    }
  }

  /** A word to a stand-in host, which may not be there to hear it. */
  tell(hostName: string, message: ToStandInHost): void {
    const host = this.hosts.find(({ name }) => name === hostName);
    if (host?.part.process.connected) host.part.process.send(message, () => {});
  }

  /** What runs, as the kernel sees it: a line for each browser of ours and each that is nobody's. */
  browsers(): Map<string, number> {
    const found = new Map<string, number>();
    const add = (key: string) => found.set(key, (found.get(key) ?? 0) + 1);
    const names = new Map(this.hosts.map(({ part, name }) => [part.pid, name]));
    for (const { pid, parent, name } of processTable().values()) {
      const host = names.get(parent) ?? (parent === 1 ? 'orphan' : undefined);
      if (host === undefined) continue;
      if (this.browserKind === 'real') {
        if (name === 'bwrap') add(host);
      } else if (name === 'cat') {
        const sessionId = standInSession(pid);
        if (sessionId) add(`${host} ${sessionId}`);
      }
    }
    return found;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#undo.disposeAsync();
  }
}

async function hostsTakeWork(db: Database, count: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  const ready = () => db.selectFrom('hosts').select('name').where('seats', '>', 0).execute();
  while ((await ready()).length < count) {
    if (performance.now() > deadline) throw new Error('the hosts do not take work');
    await delay(50);
  }
  // A gateway's picture of the hosts may be a second old.
  await delay(1000);
}

/** All at once, each in its place: what a seed draws is known by number. */
async function inOrder<T>(count: number, places: T[], make: (index: number) => Promise<T>): Promise<void> {
  const made = await Promise.allSettled(Array.from({ length: count }, (_, index) => make(index)));
  for (const one of made) if (one.status === 'fulfilled') places.push(one.value);
  for (const one of made) if (one.status === 'rejected') throw one.reason;
}

async function placeHost(
  name: string,
  gateways: readonly Place<ClusterGateway>[],
  browsers: 'stand-in' | 'real',
  time: Record<string, string>,
): Promise<HostPlace> {
  const port = await freePort();
  const toHost = await Wire.to(port);
  const toGateways = await Promise.all(
    gateways.map(({ part }) => Wire.to(Number(new URL(part.privateUrl).port))),
  );
  const env = {
    TURNPIKE_HOST_PRIVATE_PORT: `${port}`,
    TURNPIKE_HOST_PRIVATE_URL: toHost.url,
    TURNPIKE_HOST_SEATS: '8',
    ...time,
  };
  const launch = browsers === 'real' ? startClusterHost : startStandInHost;
  const start = () =>
    launch(
      name,
      toGateways.map(({ url }) => ({ privateUrl: url })),
      env,
    );
  return { name, wires: [toHost, ...toGateways], start, part: await start(), isDown: false };
}

function standInSession(pid: number): string | undefined {
  try {
    const [first = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return first.startsWith(`${standInBrowserName} `)
      ? first.slice(standInBrowserName.length + 1)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A gateway does not start while PostgreSQL is away; whoever runs it starts it again. */
async function untilUp<T>(start: () => Promise<T>, attempts = 20): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (attempts <= 1) throw error;
    return untilUp(start, attempts - 1);
  }
}

async function disposeAll(things: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(things.map((thing) => thing[Symbol.asyncDispose]()));
}
