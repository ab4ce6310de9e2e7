import { type Actor, cli } from '../audit/actor.ts';
import { badRequest } from '../http/api-error.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { newProxyPassword, newProxyUser, newStatsToken } from '../secrets/new-ids.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { Database } from '../store/database.ts';
import { changeAccount, getAccount } from './manage-account.ts';
import { sealedPassword, sealedToken } from './sealed-credentials.ts';

interface SecretOptions {
  rotate?: boolean;
  by?: Actor;
}

/** Returns an account's statistics token. Creates a new one, which replaces the old, to rotate or if there is none. */
export async function statsToken(
  db: Database,
  sealer: Sealer,
  email: string,
  { rotate = false, by = cli }: SecretOptions = {},
): Promise<string> {
  const { id, stats_token_sealed: sealed } = await getAccount(db, email);
  if (sealed && !rotate) return reveal(sealer, sealed, associatedData.statsToken(id));
  const token = newStatsToken();
  await changeAccount(db, email, sealedToken(sealer, id, token), { by, action: 'stats-token.rotate' });
  return token;
}

/** Returns an account's proxy user name and password. Creates a new password to rotate or if there is none. */
export async function proxyCredentials(
  db: Database,
  sealer: Sealer,
  email: string,
  { rotate = false, by = cli }: SecretOptions = {},
): Promise<{ proxyUser: string; proxyPassword: string }> {
  const { id, proxy_user, proxy_password_sealed: sealed } = await getAccount(db, email);
  const proxyUser = proxy_user ?? newProxyUser();
  if (proxy_user && sealed && !rotate)
    return { proxyUser, proxyPassword: reveal(sealer, sealed, associatedData.proxyPassword(id)) };
  const proxyPassword = newProxyPassword();
  const change = { proxy_user: proxyUser, ...sealedPassword(sealer, id, proxyPassword) };
  await changeAccount(db, email, change, { by, action: 'proxy-password.rotate' });
  return { proxyUser, proxyPassword };
}

function reveal(sealer: Sealer, sealed: string, aad: string): string {
  try {
    return sealer.open(sealed, aad);
  } catch (cause) {
    throw badRequest(
      'The secret was sealed under another key. Add that key to TURNPIKE_SECRET_KEYS_OLD, or rotate the secret.',
      {
        cause,
      },
    );
  }
}
