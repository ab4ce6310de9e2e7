import type { LeftProfile, ProfileRequest } from '@turnpike/contract/host';
import type { SessionRow } from '../store/tables.ts';

/** The saved profile that a create asks for. */
export interface ProfileChoice {
  name: string;
  /** Whether the session saves the profile when it is closed. */
  save: boolean;
}

/** What sessions need from saved profiles. */
export interface SessionProfiles {
  /** Loads what a host needs to start with the profile. A name that was never saved starts empty. */
  load(accountId: string, choice: ProfileChoice): Promise<ProfileRequest>;
  /** Saves what a session leaves, before the session ends. If that is impossible it logs why, and the session ends. */
  save(session: SessionRow, left: LeftProfile | undefined): Promise<void>;
}
