import type { Membership } from '@turnpike/cluster/membership';
import type { PrivateClient } from '@turnpike/cluster/private-client';
import type { BrowserHost, RunningHost } from '@turnpike/contract/host';
import { earliestAbilities, hostAbilities } from '@turnpike/contract/host/host-abilities';
import type { Database } from '../store/database.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { HostRow } from '../store/tables.ts';
import { findHost, listHostRows } from './host-store.ts';
import type { Candidate } from './placement.ts';
import { RemoteHost } from './remote-host.ts';

/** How old the list of hosts may be. A host itself refuses what it has no seat for. */
const maxAgeMs = 1000;

export interface LocalHost {
  host: RunningHost;
  membership: Membership;
}

export interface HostDirectoryOptions {
  db: Database;
  /** Undefined if only hosts of this process can be called. */
  client: PrivateClient | undefined;
}

/** The hosts that this gateway can call: those in its own process, and those in the store. */
export class HostDirectory {
  readonly #options: HostDirectoryOptions;
  readonly #local = new Map<string, LocalHost>();
  readonly #remote = new Map<string, RemoteHost>();
  #known: Promise<Candidate[]> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: HostDirectoryOptions) {
    this.#options = options;
  }

  join(local: LocalHost): void {
    this.#local.set(local.host.name, local);
  }

  local(): LocalHost[] {
    return [...this.#local.values()];
  }

  /** Stops placing browsers on the hosts of this process, which are about to end. */
  closeLocal(): void {
    this.#closed = true;
  }

  /** Lists hosts that may have a seat. */
  async candidates(): Promise<Candidate[]> {
    const own = this.#closed ? [] : this.local().filter(({ membership }) => membership.takesWork);
    return [...own.map(localCandidate), ...(await this.#remoteCandidates())];
  }

  /**
   * Finds one run of a host. Returns undefined if that run is over. Rejects if it may be alive but cannot be reached.
   */
  async find(name: string | null, boot: string | null): Promise<BrowserHost | undefined> {
    if (name === null || boot === null) return undefined;
    const own = this.#local.get(name);
    if (own?.membership.boot === boot) return own.host;
    const row = await findHost(this.#options.db, name);
    if (row?.boot !== boot || row.phase === 'left') return undefined;
    const remote = this.#remoteHost(row);
    if (!remote) throw new Error(`host ${name} cannot be reached from this gateway`);
    return remote;
  }

  #remoteCandidates(): Promise<Candidate[]> {
    if (!this.#options.client) return Promise.resolve([]);
    if (this.#known && performance.now() - this.#readAt < maxAgeMs) return this.#known;
    this.#readAt = performance.now();
    const reading = this.#read(this.#known);
    reading.catch(() => {
      if (this.#known === reading) this.#known = undefined;
    });
    this.#known = reading;
    return reading;
  }

  async #read(known: Promise<Candidate[]> | undefined): Promise<Candidate[]> {
    const rows = await listHostRows(this.#options.db);
    this.#forgetAllBut(rows);
    const former = new Map((await known?.catch(() => []))?.map((seen) => [seen.host.name, seen]));
    return rows.flatMap((row) => {
      const host = this.#local.has(row.name) ? undefined : this.#remoteHost(row);
      const seen = former.get(row.name);
      // Browsers placed since the host's last heartbeat are not in its count yet.
      const used = seen?.boot === row.boot && seen.seq === row.seq ? seen.used : row.used;
      return host ? [{ ...row, host, used, abilities: abilitiesOf(row) }] : [];
    });
  }

  #remoteHost(row: HostRow): RemoteHost | undefined {
    const { client } = this.#options;
    if (!client || row.private_url === null) return undefined;
    const known = this.#remote.get(row.name);
    if (known?.boot === row.boot && known.privateUrl === row.private_url) return known;
    const { name, boot } = row;
    const host = new RemoteHost({
      name,
      boot,
      client,
      publicUrl: row.public_url,
      privateUrl: row.private_url,
    });
    this.#remote.set(name, host);
    return host;
  }

  #forgetAllBut(rows: readonly HostRow[]): void {
    const names = new Set(rows.map(({ name }) => name));
    for (const name of this.#remote.keys()) if (!names.has(name)) this.#remote.delete(name);
  }
}

function abilitiesOf({ abilities }: HostRow): readonly string[] {
  const announced = abilities === null ? undefined : readStoredJson(abilities);
  return Array.isArray(announced) ? announced : earliestAbilities;
}

/** Describes a host of this process. It is alive if it takes work, whatever the store says. */
function localCandidate({ host, membership }: LocalHost): Candidate {
  const { total, used } = host.seats();
  return {
    host,
    boot: membership.boot,
    region: host.region ?? null,
    used,
    seats: total,
    seq: 0,
    abilities: hostAbilities,
    heartbeat_at: Number.POSITIVE_INFINITY,
    state: 'live',
    phase: 'up',
  };
}
