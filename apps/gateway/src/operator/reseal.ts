import { associatedData } from '../secrets/associated-data.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { Database } from '../store/database.ts';
import {
  type SealedValue,
  sealedAnswers,
  sealedExtensions,
  sealedProfiles,
  sealedResults,
  sealedSnapshots,
  sealedTexts,
} from './reseal-store.ts';

export interface Resealed {
  resealed: number;
  /** Values that were under today's key already. */
  current: number;
  /** What the values belong to that no known key opens. */
  unopened: string[];
}

/** Seals everything under today's key, while gateways go on using it. Safe to repeat. */
export async function resealAll(db: Database, sealer: Sealer): Promise<Resealed> {
  const result: Resealed = { resealed: 0, current: 0, unopened: [] };

  async function reseal<Sealed extends string | Uint8Array>(
    value: SealedValue<Sealed>,
    aad: string,
    renew: (sealed: Sealed) => Sealed,
  ): Promise<void> {
    if (sealer.isCurrent(value.sealed)) {
      result.current += 1;
      return;
    }
    let next: Sealed;
    try {
      next = renew(value.sealed);
    } catch {
      result.unopened.push(aad);
      return;
    }
    await value.replace(next);
    result.resealed += 1;
  }
  const text = (value: SealedValue<string>, aad: string) =>
    reseal(value, aad, (sealed) => sealer.seal(sealer.open(sealed, aad), aad));

  for await (const token of sealedTexts(db, 'accounts', 'stats_token_sealed'))
    await text(token, associatedData.statsToken(token.id));
  for await (const password of sealedTexts(db, 'accounts', 'proxy_password_sealed'))
    await text(password, associatedData.proxyPassword(password.id));
  for await (const secret of sealedTexts(db, 'webhooks', 'secret_sealed'))
    await text(secret, associatedData.webhookSecret(secret.id));
  for await (const key of sealedTexts(db, 'signing_keys', 'private_key_sealed'))
    await text(key, associatedData.signingKey(key.id));
  for await (const plan of sealedTexts(db, 'crawls', 'plan_sealed'))
    await text(plan, associatedData.crawlPlan(plan.id));
  for await (const key of sealedTexts(db, 'model_endpoints', 'key_sealed'))
    await text(key, associatedData.modelKey(key.id));
  for await (const url of sealedTexts(db, 'saved_proxies', 'url_sealed'))
    await text(url, associatedData.savedProxyUrl(url.id));
  for await (const key of sealedTexts(db, 'saved_proxies', 'client_key_sealed'))
    await text(key, associatedData.savedProxyClientKey(key.id));
  const bytes = (value: SealedValue<Uint8Array>, aad: string) =>
    reseal(value, aad, (sealed) => sealer.sealBytes(sealer.openBytes(sealed, aad), aad));
  for await (const profile of sealedProfiles(db, 'saved_profiles'))
    await bytes(profile, associatedData.savedProfile(profile.accountId, profile.name));
  for await (const cache of sealedProfiles(db, 'saved_caches'))
    await bytes(cache, associatedData.savedCache(cache.accountId, cache.name));
  for await (const snapshot of sealedSnapshots(db))
    await bytes(snapshot, associatedData.snapshot(snapshot.accountId, snapshot.id));
  for await (const extension of sealedExtensions(db))
    await bytes(extension, associatedData.extension(extension.accountId, extension.id));
  for await (const page of sealedResults(db))
    await bytes(page, associatedData.crawlResult(page.crawlId, page.number));
  for await (const answer of sealedAnswers(db))
    await bytes(answer, associatedData.pageAnswer(answer.sessionId));
  return result;
}
