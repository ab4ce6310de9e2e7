import { setTimeout as delay } from 'node:timers/promises';
import { HostError, type ProxyExit } from '@turnpike/contract/host';
import type { SessionProxyChange } from '@turnpike/contract/proxies';
import { parseProxyText } from '@turnpike/tunnel/addresses/proxy-text';
import { maskedProxyUrl, type ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { Transaction } from 'kysely';
import { ApiError } from '../http/api-error.ts';
import { isMeteredAlike, otherMetering } from '../ledger/metering.ts';
import { lockAccount } from '../limits/account-lock-store.ts';
import {
  type ChoiceOptions,
  type ChosenProxy,
  isNamed,
  type NamedProxy,
  type ProxyWish,
} from '../seams/session-proxies.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { isStoreOutage } from '../store/outage.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SavedProxyRow } from '../store/tables/proxy-tables.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import type { ChangeContext } from './change-context.ts';
import {
  type Claim,
  claimChange,
  dropUse,
  finishChange,
  giveUpClaim,
  proxyAndPoolOf,
  usesOf,
} from './change-store.ts';
import { findKey, putKey } from './choice-store.ts';
import { placeholdersIn } from './proxy-template.ts';

/** How long a change may take: several proxies of a pool may be tried. */
const changeMs = 60_000;
/** Longer than a change can take. */
const claimMs = changeMs + 15_000;
/** How long a change waits for another of the same session. */
const waitMs = 30_000;
const pollMs = 200;

/** Gives a running session another proxy: of that URL or name. */
export function changeProxy(
  context: ChangeContext,
  session: SessionRow,
  { proxy, proxy_key: key, proxy_country }: SessionProxyChange,
): Promise<SessionRow> {
  const wanted = parseProxy(proxy);
  const country = proxy_country?.toUpperCase();
  return changing(context, session, async (claim, signal) => {
    if (!isNamed(wanted)) return changeTo(context, claim, { proxy: wanted, key, country }, signal);
    const wish = { accountId: session.account_id, proxy: wanted, key, country };
    return changeToNamed(context, claim, wish, signal);
  });
}

/** Gives a running session another exit: another proxy of its pool, or another `{session}` of its template. */
export function rotateProxy(context: ChangeContext, session: SessionRow): Promise<SessionRow> {
  return changing(context, session, async (claim, signal) => {
    const { account_id: accountId, proxy_id, proxy_key, params } = claim.session;
    const { saved, pool } = await proxyAndPoolOf(context.db, claim.session);
    const { proxy_country: country } = readStoredJson(params) as { proxy_country?: string };
    const wish = { accountId, key: proxy_key ?? undefined, country };
    if (pool) {
      const ofPool: ProxyWish = { ...wish, proxy: { kind: 'pool', name: pool.name } };
      const without = proxy_id === null ? [] : [proxy_id];
      const changed = await changeToNamed(context, claim, ofPool, signal, { without, mayBeNone: true });
      if (changed) return changed;
    }
    if (!saved || !hasSession(context, saved)) throw new ApiError('nothingToRotate');
    const named: ProxyWish = { ...wish, proxy: { kind: 'name', name: saved.name } };
    return changeToNamed(context, claim, named, signal, { rotates: saved.id, pool });
  });
}

/** Whether a saved proxy has the placeholder that rotation changes. */
const hasSession = ({ sealer }: ChangeContext, { id, url_sealed }: SavedProxyRow): boolean =>
  placeholdersIn(sealer.open(url_sealed, associatedData.savedProxyUrl(id))).has('session');

/** Runs a change when no other of the session goes on. What fails leaves the session as it was. */
async function changing(
  context: ChangeContext,
  { id }: SessionRow,
  change: (claim: Claim, signal: AbortSignal) => Promise<SessionRow | undefined>,
): Promise<SessionRow> {
  const claim = await claimed(context, id);
  try {
    const changed = await change(claim, AbortSignal.timeout(changeMs));
    if (!changed) throw new ApiError('sessionEnded');
    return changed;
  } catch (error) {
    await giveUpClaim(context.db, claim).catch((failure) =>
      context.logger.warn({ err: failure, sessionId: id }, 'could not give up a claim; it lapses'),
    );
    throw error;
  }
}

async function claimed({ db, now }: ChangeContext, id: string): Promise<Claim> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    const claim = await claimChange(db, id, { now: now(), until: now() + claimMs });
    if (claim) return claim;
    const row = await db.selectFrom('sessions').select('state').where('id', '=', id).executeTakeFirst();
    if (row?.state !== 'ACTIVE') throw new ApiError('sessionEnded');
    if (performance.now() > giveUpAt) throw new ApiError('busy');
    await delay(pollMs);
  }
}

interface NamedOptions {
  without?: readonly string[];
  /** Answer undefined if there is no proxy to try, instead of an error. */
  mayBeNone?: boolean;
  /** The id of the saved proxy whose key gets another `{session}`. */
  rotates?: string;
  /** The pool that the session stays with. */
  pool?: { id: string; name: string } | undefined;
}

/** Tries the proxies of a pool, or the one that is named, until one works. */
async function changeToNamed(
  context: ChangeContext,
  claim: Claim,
  wish: ProxyWish,
  signal: AbortSignal,
  { without = [], mayBeNone = false, rotates, pool }: NamedOptions = {},
): Promise<SessionRow | undefined> {
  const { id: sessionId } = claim.session;
  const failed: { chosen: ChosenProxy; reason: string; error: unknown }[] = [];
  for (;;) {
    const tried = failed.map(({ chosen }) => chosen.proxyId);
    const choice = await context.db.transaction().execute(async (trx) => {
      await lockAccount(trx, wish.accountId);
      const used = await usesOf(trx, sessionId);
      const options = { sessionId, without: [...without, ...tried] };
      const chosen = await (rotates === undefined
        ? context.proxies.choose(trx, wish, options)
        : withNextKey(context, trx, wish, rotates, options));
      return chosen && { chosen: { pool, ...chosen }, isNew: !used.has(chosen.proxyId) };
    });
    if (!choice) {
      const [first] = failed;
      if (!first && mayBeNone) return undefined;
      throw first && wish.proxy.kind === 'name' ? first.error : noneWorks(failed);
    }
    const { chosen, isNew } = choice;
    try {
      const { proxy } = chosen;
      const changed = await changeTo(context, claim, { ...wish, proxy, chosen }, signal);
      if (changed && rotates !== undefined) await keepNextKey(context, wish, rotates);
      return changed;
    } catch (error) {
      if (isNew) await dropUse(context.db, sessionId, chosen.proxyId);
      const reason = proxyTrouble(error);
      if (reason === undefined || signal.aborted) throw error;
      await context.proxies.found(wish.accountId, chosen, { works: false, reason });
      failed.push({ chosen, reason, error });
    }
  }
}

interface Target {
  proxy: ProxyUrl;
  key?: string | undefined;
  country?: string | undefined;
  chosen?: ChosenProxy;
}

/** Lets the host use the proxy, and stores that it does. Undefined if the session has ended. */
async function changeTo(
  context: ChangeContext,
  claim: Claim,
  target: Target,
  signal: AbortSignal,
): Promise<SessionRow | undefined> {
  const { session } = claim;
  const { proxy, chosen, key } = target;
  const pinned = await context.proxies.pin(proxy, signal);
  const host = await context.findHost(session.host, session.host_boot);
  if (!host) return undefined;
  if (!isMeteredAlike(context.meteredAs(proxy), session))
    throw new ApiError('proxyInvalid', { detail: otherMetering, field: 'proxy' });
  const done = await host.changeProxy(session.id, pinned, signal).catch((error) => {
    throw hostRefusal(error);
  });
  if (!done) return undefined;
  const changed = await finishChange(context.db, claim, {
    params: JSON.stringify(changedParams(session, target)),
    metadata: JSON.stringify(changedMetadata(session, done.exit)),
    proxy_id: chosen?.proxyId ?? null,
    pool_id: chosen?.pool?.id ?? null,
    proxy_key: key ?? null,
  });
  if (changed && chosen)
    await context.proxies
      .found(session.account_id, chosen, { works: true, exit: done.exit })
      .catch((error) => context.logger.warn({ err: error }, 'could not store that a proxy works'));
  return changed;
}

/** What the session says of itself from now on. */
function changedParams({ params }: SessionRow, { proxy, key, country, chosen }: Target): object {
  const {
    proxyName: _,
    proxyPool: __,
    proxy_key: ___,
    proxy_country: ____,
    ...rest
  } = readStoredJson(params);
  return {
    ...rest,
    proxy: maskedProxyUrl(proxy),
    ...(chosen && { proxyName: chosen.name }),
    ...(chosen?.pool && { proxyPool: chosen.pool.name }),
    ...(key !== undefined && { proxy_key: key }),
    ...(country !== undefined && { proxy_country: country }),
  };
}

function changedMetadata({ metadata }: SessionRow, exit: ProxyExit | undefined): object {
  const { turnpike, ...own } = readStoredJson(metadata);
  const { exitIp: _, exitCountry: __, ...rest } = turnpike ?? {};
  const known = {
    ...(exit && { exitIp: exit.ip }),
    ...(exit?.country !== undefined && { exitCountry: exit.country }),
  };
  return { ...own, turnpike: { ...rest, ...known } };
}

/** Chooses with the key's next `{session}`. What is stored stays: the change may fail. */
async function withNextKey(
  { proxies, now }: ChangeContext,
  trx: Transaction<Tables>,
  wish: ProxyWish,
  scope: string,
  options: ChoiceOptions,
): Promise<ChosenProxy | undefined> {
  const { accountId, key } = wish;
  const of = key === undefined ? undefined : { accountId, scope, key };
  const generation = (of && (await findKey(trx, of))?.generation) ?? 0;
  const chosen = await proxies.choose(trx, wish, { ...options, renews: true });
  if (of) await putKey(trx, of, { proxyId: scope, generation, now: now() });
  return chosen;
}

async function keepNextKey(
  { db, now }: ChangeContext,
  { accountId, key }: ProxyWish,
  scope: string,
): Promise<void> {
  if (key === undefined) return;
  await db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const of = { accountId, scope, key };
    const generation = (await findKey(trx, of))?.generation ?? 0;
    await putKey(trx, of, { proxyId: scope, generation: generation + 1, now: now() });
  });
}

function parseProxy(given: string): ProxyUrl | NamedProxy {
  const text = given.trim();
  if (text === '') throw new ApiError('proxyRequired', { detail: 'no proxy supplied', field: 'proxy' });
  const parsed = parseProxyText(text);
  if (!parsed.ok) throw new ApiError('proxyInvalid', { detail: parsed.rule, field: 'proxy' });
  return parsed.proxy;
}

function hostRefusal(error: unknown): unknown {
  if (isStoreOutage(error)) return error;
  if (error instanceof HostError && error.code === 'PROXY_UNREACHABLE')
    return new ApiError('proxyUnreachable', { detail: error.message, field: 'proxy', cause: error });
  return new ApiError('hostSilent', { cause: error });
}

/** Why a change failed, if it was the proxy's fault. */
const proxyTrouble = (error: unknown): string | undefined =>
  error instanceof ApiError && ['PROXY_UNREACHABLE', 'PROXY_INVALID'].includes(error.spec.code ?? '')
    ? error.detail
    : undefined;

const noneWorks = (failed: readonly { chosen: ChosenProxy; reason: string }[]): ApiError =>
  new ApiError('proxyUnreachable', {
    detail: failed.map(({ chosen, reason }) => `${chosen.name}: ${reason}`).join('; ') || 'the pool is empty',
    field: 'proxy',
  });
