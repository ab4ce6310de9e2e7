import type { ArchiveRequest, ArchiveResult, SaveResult } from '@turnpike/contract/host';
import { ApiError } from '../http/api-error.ts';
import { type SavedKind, savedKinds } from '../limits/profile-writer-store.ts';
import type { Context } from '../seams/context.ts';
import type {
  LoadedProfile,
  ProfileChoice,
  SessionProfiles,
  StartingCache,
} from '../seams/session-profiles.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { SessionRow } from '../store/tables.ts';
import {
  claimCache,
  findDevice,
  findSealed,
  type Kept,
  keepLeft,
  type SavedKey,
} from './saved-profile-store.ts';

export interface ProfileContext extends Context {
  sealer: Sealer;
  /** How large a saved profile may be, compressed. */
  profileMaxBytes: number;
  /** How large a saved cache may be, compressed. */
  cacheMaxBytes: number;
}

/** Loads and saves the profiles and caches of sessions. */
export const sessionProfiles = (context: ProfileContext): SessionProfiles => ({
  load: (accountId, choice) => loadProfile(context, accountId, choice),
  loadCache: (session) => loadCache(context, session),
  save: (session, left) => saveLeft(context, session, left),
});

async function loadProfile(
  context: ProfileContext,
  accountId: string,
  { name, save }: ProfileChoice,
): Promise<LoadedProfile> {
  const device = await findDevice(context.db, accountId, name);
  const archive = await unseal(context, { kind: 'profile', accountId, name }).catch((cause) => {
    throw new ApiError('creationFailed', { detail: 'the saved profile cannot be unsealed', cause });
  });
  return { archive: { ...archive, ...(save && { maxBytes: context.profileMaxBytes }) }, device };
}

async function loadCache(context: ProfileContext, session: StartingCache): Promise<ArchiveRequest> {
  const saves = await claimCache(context.db, session);
  const { accountId, name, sessionId } = session;
  // A session can do without a cache, and the one that it saves will open again.
  const archive = await unseal(context, { kind: 'cache', accountId, name }).catch((err) => {
    context.logger.warn({ err, sessionId, accountId }, 'a saved cache cannot be unsealed; starting empty');
    return {};
  });
  return { ...archive, ...(saves && { maxBytes: context.cacheMaxBytes }) };
}

async function unseal(
  { db, sealer }: ProfileContext,
  key: SavedKey,
): Promise<Pick<ArchiveRequest, 'archive'>> {
  const sealed = await findSealed(db, key);
  if (!sealed) return {};
  return { archive: sealer.openBytes(sealed, sealedAs(key)).toString('base64') };
}

const sealedAs = ({ kind, accountId, name }: SavedKey): string =>
  kind === 'profile'
    ? associatedData.savedProfile(accountId, name)
    : associatedData.savedCache(accountId, name);

async function saveLeft(
  context: ProfileContext,
  session: SessionRow,
  left: SaveResult | undefined,
): Promise<void> {
  const { db, logger, now } = context;
  const { id: sessionId, account_id: accountId } = session;
  const kept: Kept = {
    ...(session.saves_profile === 1 && { profile: seal(context, session, 'profile', left) }),
    ...(session.saves_cache === 1 && {
      cache: seal(context, session, 'cache', left && (left.cache ?? tooOld)),
    }),
  };
  for (const [kind, reason] of Object.entries(await keepLeft(db, session, kept, now()))) {
    logger.info({ sessionId, accountId, reason }, `did not save a ${kind}`);
  }
}

const tooOld: ArchiveResult = { notSaved: 'its host cannot save it' };

function seal(
  { sealer }: ProfileContext,
  session: SessionRow,
  kind: SavedKind,
  left: ArchiveResult | undefined,
): Kept[SavedKind] & object {
  if (!left) return { notSaved: 'the browser was gone' };
  if ('notSaved' in left) return { notSaved: left.notSaved };
  const archive = Buffer.from(left.archive, 'base64');
  const name = session[savedKinds[kind].name] ?? '';
  const sealed = sealer.sealBytes(archive, sealedAs({ kind, accountId: session.account_id, name }));
  return { sealed, bytes: archive.length };
}
