import { type ParsedProxy, type ProxyUrl, parseProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { Transaction } from 'kysely';
import { ApiError } from '../http/api-error.ts';
import type { ChoiceOptions, ChosenProxy, ProxyWish } from '../seams/session-proxies.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { ProxyPoolRow, SavedProxyRow } from '../store/tables/proxy-tables.ts';
import type { Tables } from '../store/tables.ts';
import { addUse, figuresFor, findKey, findPool, membersOf, putKey, setTurn } from './choice-store.ts';
import { chooseMember } from './choose-member.ts';
import type { ProxyContext } from './proxy-context.ts';
import { fillTemplate, freshSession, keyedSession, placeholdersIn } from './proxy-template.ts';
import { findProxy } from './saved-proxy-store.ts';

const invalid = (detail: string): ApiError => new ApiError('proxyInvalid', { detail, field: 'proxy' });

/**
 * Chooses the proxy of a session, in a transaction that has locked the account's row: so the choices of an account come
 * one after the other, on however many gateways. Undefined if none is left.
 */
export async function chooseProxy(
  context: ProxyContext,
  trx: Transaction<Tables>,
  wish: ProxyWish,
  { sessionId, without = [], renews = false }: ChoiceOptions,
): Promise<ChosenProxy | undefined> {
  const { accountId, proxy } = wish;
  const found = proxy.kind === 'pool' ? await chooseFromPool(context, trx, wish, without) : undefined;
  const row = found?.row ?? (proxy.kind === 'name' ? await findProxy(trx, accountId, proxy.name) : undefined);
  if (!row && proxy.kind === 'name') throw invalid(`there is no saved proxy ${proxy.name}`);
  if (!row || without.includes(row.id)) return undefined;
  if (renews && wish.key !== undefined)
    await renewKey(context, trx, { accountId, scope: row.id, key: wish.key });
  const chosen = await fillProxy(context, trx, wish, row);
  await addUse(trx, { sessionId, proxyId: row.id, accountId });
  return { ...chosen, ...(found && { pool: { id: found.pool.id, name: found.pool.name } }) };
}

async function chooseFromPool(
  { now }: ProxyContext,
  trx: Transaction<Tables>,
  { accountId, proxy, key }: ProxyWish,
  without: readonly string[],
): Promise<{ pool: ProxyPoolRow; row: SavedProxyRow | undefined }> {
  const pool = await findPool(trx, accountId, proxy.name);
  if (!pool) throw invalid(`there is no pool ${proxy.name}`);
  const { policy, turn } = pool;
  const of = key === undefined ? undefined : { accountId, scope: pool.id, key };
  if (policy === 'sticky' && !of) throw invalid(`the pool ${pool.name} is sticky. Send a proxy_key`);
  const rows = (await membersOf(trx, pool.id)).filter(({ id }) => !without.includes(id));
  const members = rows.map(({ id, position, state, state_at: stateAt }) => ({
    id,
    position,
    state,
    stateAt,
  }));
  const figures = await figuresFor(trx, policy, pool, now());
  const kept = policy === 'sticky' && of ? await findKey(trx, of) : undefined;
  const member = chooseMember(members, { policy, turn, figures, keyed: kept?.proxy_id });
  const isHealthy = member && member.state !== 'failing';
  if (isHealthy && policy === 'round_robin') await setTurn(trx, pool.id, member.position);
  // A key keeps its proxy when none works: it may be the first to work again.
  if (isHealthy && policy === 'sticky' && of)
    await putKey(trx, of, { proxyId: member.id, generation: kept?.generation ?? 0, now: now() });
  return { pool, row: rows.find(({ id }) => id === member?.id) };
}

/** From now on the key has another `{session}` of the proxy. */
async function renewKey(
  { now }: ProxyContext,
  trx: Transaction<Tables>,
  of: { accountId: string; scope: string; key: string },
): Promise<void> {
  const kept = await findKey(trx, of);
  await putKey(trx, of, { proxyId: of.scope, generation: (kept?.generation ?? 0) + 1, now: now() });
}

/** Opens a saved proxy's URL and fills its placeholders. Without a transaction: for a check, which has no key. */
export async function fillProxy(
  context: ProxyContext,
  trx: Transaction<Tables> | undefined,
  wish: Pick<ProxyWish, 'accountId' | 'key' | 'country'>,
  row: SavedProxyRow,
): Promise<ChosenProxy> {
  const url = unsealed(context, row);
  const needed = placeholdersIn(url);
  const country = wish.country ?? row.country ?? undefined;
  const need = (value: string | undefined, parameter: string): string => {
    if (value === undefined) throw invalid(`the saved proxy ${row.name} needs ${parameter}`);
    return value;
  };
  const parsed: ParsedProxy = parseProxyUrl(
    needed.size === 0
      ? url
      : fillTemplate(url, {
          country: needed.has('country') ? need(country, 'proxy_country').toLowerCase() : '',
          key: needed.has('key') ? need(trx ? wish.key : 'check', 'proxy_key') : '',
          session: needed.has('session') ? await sessionOf(trx, wish, row.id) : '',
        }),
  );
  // It was parsed when it was saved, but values may make it too long.
  if (!parsed.ok) throw invalid(`the saved proxy ${row.name} is ${parsed.rule}`);
  return {
    proxy: { ...parsed.proxy, label: `name:${row.name}`, ...extrasOf(context, row, country) },
    proxyId: row.id,
    name: row.name,
    wasHealthy: row.state === 'healthy',
  };
}

async function sessionOf(
  trx: Transaction<Tables> | undefined,
  { accountId, key }: Pick<ProxyWish, 'accountId' | 'key'>,
  proxyId: string,
): Promise<string> {
  if (key === undefined || !trx) return freshSession();
  const kept = await findKey(trx, { accountId, scope: proxyId, key });
  return keyedSession({ accountId, proxyId, key, generation: kept?.generation ?? 0 });
}

function unsealed({ sealer }: ProxyContext, { id, url_sealed }: SavedProxyRow): string {
  try {
    return sealer.open(url_sealed, associatedData.savedProxyUrl(id));
  } catch (cause) {
    throw new ApiError('creationFailed', { detail: 'a saved proxy cannot be unsealed', cause });
  }
}

/** What a host is told about a saved proxy besides its URL. */
function extrasOf(
  { sealer }: ProxyContext,
  row: SavedProxyRow,
  country: string | undefined,
): Partial<ProxyUrl> {
  return {
    ...(country !== undefined && { country }),
    ...(row.price_micros !== null && { priceMicros: row.price_micros }),
    ...(row.ca !== null && { ca: row.ca, trustCa: row.trust_ca === 1 }),
    ...(row.client_certificate !== null &&
      row.client_key_sealed !== null && {
        clientCertificate: {
          certificate: row.client_certificate,
          key: sealer.open(row.client_key_sealed, associatedData.savedProxyClientKey(row.id)),
        },
      }),
  };
}
