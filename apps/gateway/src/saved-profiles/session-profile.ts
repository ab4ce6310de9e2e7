import type { LeftProfile, ProfileRequest } from '@turnpike/contract/host';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { SessionRow } from '../store/tables.ts';
import { findSealedProfile, type KeptProfile, keepProfile } from './saved-profile-store.ts';

/** What a create asks for. */
export interface ProfileChoice {
  name: string;
  /** Whether the session leaves it as it is at its orderly close. */
  save: boolean;
}

/** No account's opens as another's, nor under another name. */
const { savedProfile: sealedFor } = associatedData;

/** What a host is told of it. A name that was never saved begins with nothing. */
export async function profileRequest(
  { db, sealer, profileMaxBytes }: Gateway,
  accountId: string,
  { name, save }: ProfileChoice,
): Promise<ProfileRequest> {
  const sealed = await findSealedProfile(db, accountId, name);
  return {
    ...(sealed && { archive: opened(sealed).toString('base64') }),
    ...(save && { maxBytes: profileMaxBytes }),
  };

  function opened(bytes: Uint8Array): Buffer {
    try {
      return sealer.openBytes(bytes, sealedFor(accountId, name));
    } catch (cause) {
      throw new ApiError('creationFailed', { detail: 'the saved profile cannot be unsealed', cause });
    }
  }
}

/** Keeps what a session left, before it ends. Where nothing can be kept it ends all the same, and says why. */
export async function keepLeftProfile(
  { db, sealer, logger, now }: Gateway,
  session: SessionRow,
  left: LeftProfile | undefined,
): Promise<void> {
  const { id: sessionId, account_id: accountId, profile_name } = session;
  const problem = await keepProfile(db, session, outcome(), now());
  if (problem) logger.info({ sessionId, accountId, reason: problem }, 'a profile was not saved');

  function outcome(): KeptProfile | { notSaved: string } {
    if (!left) return { notSaved: 'the browser was gone' };
    if ('notSaved' in left) return left;
    const archive = Buffer.from(left.archive, 'base64');
    const sealed = sealer.sealBytes(archive, sealedFor(accountId, profile_name ?? ''));
    return { sealed, bytes: archive.length };
  }
}
