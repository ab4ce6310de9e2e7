import type { ArchiveRequest, SaveResult } from '@turnpike/contract/host';
import type { SessionRow } from '../store/tables.ts';

/** The saved profile that a create asks for. */
export interface ProfileChoice {
  name: string;
  /** Whether the session saves the profile when it is closed. */
  save: boolean;
}

/** A session that is starting, and the cache that it asks for. */
export interface StartingCache {
  sessionId: string;
  accountId: string;
  name: string;
}

/** What a session starts with. */
export interface LoadedProfile {
  archive: ArchiveRequest;
  /** The id of the device of the sessions that saved it. Undefined: none did, or their host had none. */
  device: string | undefined;
}

/** What sessions need from saved profiles and caches. */
export interface SessionProfiles {
  /** Loads what a host needs to start with the profile. A name that was never saved starts empty. */
  load(accountId: string, choice: ProfileChoice): Promise<LoadedProfile>;
  /**
   * Loads the HTTP cache of a session that is starting. The session saves it when it is closed, unless another running
   * session will.
   */
  loadCache(session: StartingCache): Promise<ArchiveRequest>;
  /** Saves what a session leaves, before the session ends. If that is impossible it logs why, and the session ends. */
  save(session: SessionRow, left: SaveResult | undefined): Promise<void>;
}
