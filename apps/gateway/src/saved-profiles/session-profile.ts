import type { LeftProfile, ProfileRequest } from '@turnpike/contract/host';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../seams/context.ts';
import type { ProfileChoice, SessionProfiles } from '../seams/session-profiles.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { SessionRow } from '../store/tables.ts';
import { findSealedProfile, type KeptProfile, keepProfile } from './saved-profile-store.ts';

export interface ProfileContext extends Context {
  sealer: Sealer;
  /** How large a saved profile may be, compressed. */
  profileMaxBytes: number;
}

/** Loads and saves the profiles of sessions. */
export const sessionProfiles = (context: ProfileContext): SessionProfiles => ({
  load: (accountId, choice) => loadProfile(context, accountId, choice),
  save: (session, left) => saveProfile(context, session, left),
});

async function loadProfile(
  { db, sealer, profileMaxBytes }: ProfileContext,
  accountId: string,
  { name, save }: ProfileChoice,
): Promise<ProfileRequest> {
  const sealed = await findSealedProfile(db, accountId, name);
  return {
    ...(sealed && { archive: unsealProfile(sealer, accountId, name, sealed).toString('base64') }),
    ...(save && { maxBytes: profileMaxBytes }),
  };
}

function unsealProfile(sealer: Sealer, accountId: string, name: string, sealed: Uint8Array): Buffer {
  try {
    return sealer.openBytes(sealed, associatedData.savedProfile(accountId, name));
  } catch (cause) {
    throw new ApiError('creationFailed', { detail: 'the saved profile cannot be unsealed', cause });
  }
}

async function saveProfile(
  { db, sealer, logger, now }: ProfileContext,
  session: SessionRow,
  left: LeftProfile | undefined,
): Promise<void> {
  const { id: sessionId, account_id: accountId } = session;
  const problem = await keepProfile(db, session, sealProfile(sealer, session, left), now());
  if (problem) logger.info({ sessionId, accountId, reason: problem }, 'did not save a profile');
}

function sealProfile(
  sealer: Sealer,
  { account_id: accountId, profile_name: name }: SessionRow,
  left: LeftProfile | undefined,
): KeptProfile | { notSaved: string } {
  if (!left) return { notSaved: 'the browser was gone' };
  if ('notSaved' in left) return left;
  const archive = Buffer.from(left.archive, 'base64');
  const sealed = sealer.sealBytes(archive, associatedData.savedProfile(accountId, name ?? ''));
  return { sealed, bytes: archive.length };
}
