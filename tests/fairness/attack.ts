import type { Socket } from 'node:net';
import type { AccountCalls } from '../fixtures/gateway/gateway.ts';
import type { Random } from '../fuzz/random.ts';
import type { Cdp } from './cdp.ts';

/** What an attack has: an account, its sessions, raw connections, and a site of its own. */
export interface AttackTools {
  account: AccountCalls;
  gatewayUrl: string;
  proxyUrl: string;
  /** The attacker's own site, reached through the metered proxy. */
  site: HostileSite;
  random: Random;
  /** How much an attack sends, of what it would send in full. */
  scale: number;
  /** Makes a count smaller, but not nothing. */
  scaled(count: number): number;
  /** A page in a session of a kind, with a client of its own. The session stays for the next attacks. */
  page(kind: SessionKind): Promise<Cdp>;
  /** The id of that session. */
  sessionId(kind: SessionKind): Promise<string>;
  /** Sends bytes on a connection of its own, and resolves when it has had an answer, was closed, or time is over. */
  raw(url: string, bytes: Buffer | string, options?: { reads?: boolean; ms?: number }): Promise<void>;
  /** Counts what was sent in another way. */
  sent(bytes: number): void;
}

export type SessionKind = 'plain' | 'recorded' | 'stealth';

export interface HostileSite extends AsyncDisposable {
  origin: string;
  /** What it answers to `/<name>`. */
  answers: Map<string, (socket: Socket) => void>;
}

/** One row of the table: what a tenant, a page, a site or a stranger sends to keep others waiting. */
export interface Attack {
  row: number;
  name: string;
  /** Plays it once, in a second or so. */
  play(tools: AttackTools): Promise<void>;
}
