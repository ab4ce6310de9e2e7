import type { Heartbeat } from '@turnpike/contract/host/heartbeat';
import type { SessionRow } from '../store/tables.ts';

export interface HeartbeatReport {
  beat: Heartbeat;
  receivedAt: number;
  /** When the earlier run of this host was last heard of; null: there was none. */
  formerHeartbeatAt: number | null;
}

export interface SettledHeartbeat {
  /** Sessions whose end is stored: the host need not report it again. */
  acknowledged: string[];
  /** Browsers that belong to no session: the host is to end them. */
  end: string[];
}

/** An ACTIVE session of a host that is lost, and when the host was last heard of. */
export type LostSession = SessionRow & { heartbeat_at: number };

/** What hosts report to sessions. Sessions decide what ends; every call is safe to repeat, on any gateway. */
export interface SessionReports {
  heartbeat(report: HeartbeatReport): Promise<SettledHeartbeat>;
  /** Ends the sessions of lost hosts as of their last heartbeat. */
  hostsLost(sessions: readonly LostSession[]): Promise<void>;
  /** Ends sessions that are past their lifetime and whose host has not said so. Answers how many. */
  endOverdue(now: number): Promise<number>;
  /** Deletes the traffic of sessions that are no longer readable. */
  pruneTraffic(now: number): Promise<void>;
}

/** What creates leave behind when their gateway or their client goes away. */
export interface CreateReports {
  /** Releases the slots of creates that missed their deadline. Answers how many. */
  releaseLateCreates(now: number): Promise<number>;
  /** Closes abandoned sessions, and deletes idempotency keys and queue entries that have expired. */
  cleanUpCreates(now: number): Promise<void>;
  /** Resolves when no close of an abandoned session is in progress. */
  idle(): Promise<void>;
}

export type HostReports = SessionReports & CreateReports;
