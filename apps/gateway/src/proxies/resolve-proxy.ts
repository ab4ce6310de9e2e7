import type { UpstreamProxy } from '@turnpike/contract/host';
import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import { parseProxyText } from '@turnpike/tunnel/addresses/proxy-text';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { FairSlots, type SlotLimits } from '../http/answers/fair-slots.ts';
import { ApiError } from '../http/api-error.ts';
import { isMeteredAlike, otherMetering } from '../ledger/metering.ts';
import { proxyExitSeen, proxyFailed, proxyWorked } from '../ledger/proxy-health-store.ts';
import { lockAccount } from '../limits/account-lock-store.ts';
import {
  type ChosenProxy,
  isNamed,
  type ProxyFinding,
  type ProxyWish,
  type SessionProxies,
} from '../seams/session-proxies.ts';
import { isRunning } from '../store/session-states.ts';
import { readStoredJson } from '../store/stored-json.ts';
import { chooseProxy } from './choose-proxy.ts';
import type { ProxyContext } from './proxy-context.ts';

/** Saved proxies and pools, for whoever opens or changes sessions. */
export const sessionProxies = (context: ProxyContext): SessionProxies => ({
  choose: (trx, wish, options) => chooseProxy(context, trx, wish, options),
  pin: (proxy, signal) => pinProxy(context, proxy, signal),
  found: (accountId, chosen, finding) => storeFinding(context, accountId, chosen, finding),
});

/** Looks up the proxy's addresses and refuses those that are not allowed. Without any, the host reports the failure. */
export async function pinProxy(
  { proxyGuard }: { proxyGuard: AddressGuard },
  proxy: ProxyUrl,
  signal: AbortSignal,
): Promise<UpstreamProxy> {
  const resolution = await proxyGuard.resolve(proxy.host, signal);
  if (resolution.ok) return { ...proxy, addresses: resolution.addresses };
  if (resolution.reason === 'not-allowed')
    throw new ApiError('proxyInvalid', { detail: 'address not allowed', field: 'proxy' });
  return { ...proxy, addresses: [] };
}

interface ContextQuery extends Omit<ProxyWish, 'proxy'> {
  sessionId: string;
  /** A URL, or `name:` or `pool:` with a name. */
  text: string;
}

/** Reads what a client names for a context, chooses if it is a name, and pins. Rejects with PROXY_INVALID. */
async function resolveText(
  context: ProxyContext,
  { sessionId, text, ...wish }: ContextQuery,
  signal: AbortSignal,
): Promise<UpstreamProxy> {
  const parsed = parseProxyText(text.trim());
  if (!parsed.ok) throw new ApiError('proxyInvalid', { detail: parsed.rule, field: 'proxy' });
  const { proxy } = parsed;
  if (!isNamed(proxy)) return pinProxy(context, proxy, signal);
  const chosen = await context.db.transaction().execute(async (trx) => {
    await lockAccount(trx, wish.accountId);
    return chooseProxy(context, trx, { ...wish, proxy }, { sessionId });
  });
  if (!chosen)
    throw new ApiError('proxyInvalid', { detail: `the pool ${proxy.name} is empty`, field: 'proxy' });
  return pinProxy(context, chosen.proxy, signal);
}

export async function storeFinding(
  { db, now, outbox, metrics }: ProxyContext,
  accountId: string,
  { proxyId, wasHealthy }: Pick<ChosenProxy, 'proxyId' | 'wasHealthy'>,
  finding: ProxyFinding,
): Promise<void> {
  const { works, latencyMs, exit, isCheck = false } = finding;
  if (isCheck) metrics.proxyChecked(works);
  // What is known already needs no statement; sessions tell where they come out by themselves.
  if (works && wasHealthy && !isCheck) return;
  const at = now();
  await db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    if (!works)
      return proxyFailed(trx, outbox, { proxyId, at, isCheck, error: finding.reason.slice(0, 500) });
    await proxyWorked(trx, outbox, { proxyId, at, isCheck, ...(latencyMs !== undefined && { latencyMs }) });
    if (exit) await proxyExitSeen(trx, outbox, { proxyId, at, exit });
  });
}

/** Clients may ask without end. Each question takes the account's lock and looks a name up. */
const questions: SlotLimits = {
  atOnce: Number.POSITIVE_INFINITY,
  perOwner: 2,
  waitingPerOwner: 256,
  maxWaitMs: 15_000,
  tooMany: 'busy',
};

/** Answers hosts whose clients name a proxy for one context of a session. */
export function proxyResolver(context: ProxyContext): ResolveProxy {
  const slots = new FairSlots(questions);
  return async ({ sessionId, proxy: text }, signal) => {
    const session = await context.db
      .selectFrom('sessions')
      .select(['account_id', 'proxy_key', 'params', 'metered_product', 'metered_country'])
      .where('id', '=', sessionId)
      .where(isRunning)
      .executeTakeFirst();
    if (!session) return { ok: false, refusal: 'The session has ended.' };
    const { proxy_country: country } = readStoredJson(session.params) as { proxy_country?: string };
    const query = {
      accountId: session.account_id,
      sessionId,
      text,
      key: session.proxy_key ?? undefined,
      country,
    };
    try {
      using _slot = await slots.take(session.account_id, signal);
      const proxy = await resolveText(context, query, signal);
      if (!isMeteredAlike(context.meteredAs(proxy), session))
        return { ok: false, refusal: `The proxy cannot be used here: ${otherMetering}.` };
      return { ok: true, proxy };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { ok: false, refusal: `${error.message}${error.detail ? ` ${error.detail}` : ''}` };
    }
  };
}
