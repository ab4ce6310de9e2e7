import { associatedData } from '../secrets/associated-data.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { Sealer } from '../secrets/sealer.ts';

/** The columns of credentials that are stored twice: hashed, to look them up, and sealed, to show them again. */

export const sealedToken = (sealer: Sealer, accountId: string, token: string) => ({
  stats_token_hash: hashSecret(token),
  stats_token_sealed: sealer.seal(token, associatedData.statsToken(accountId)),
});

export const sealedPassword = (sealer: Sealer, accountId: string, password: string) => ({
  proxy_password_hash: hashSecret(password),
  proxy_password_sealed: sealer.seal(password, associatedData.proxyPassword(accountId)),
});
