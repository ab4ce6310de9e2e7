import { HostError } from '@turnpike/contract/host';
import { maskedProxyUrl, type ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { Transaction } from 'kysely';
import { ApiError } from '../../http/api-error.ts';
import { meteredAs } from '../../ledger/metering.ts';
import { lockAccount } from '../../limits/account-lock-store.ts';
import { type ChosenProxy, isNamed, type ProxyWish } from '../../seams/session-proxies.ts';
import type { Tables } from '../../store/tables.ts';
import type { ProxyOfCreate } from '../admission-store.ts';
import type { CreateContext } from '../create-context.ts';
import type { CreateParams } from '../create-params.ts';
import { dropUse, moveStarting, type StartingSession } from '../starting-session-store.ts';

/** The saved proxy of a create: which it gets first, and which next if that one does not work. */

type Chooses = Pick<CreateContext, 'proxies' | 'products'>;

type Asked = Pick<CreateParams, 'proxy' | 'proxyKey' | 'proxyCountry'>;

function wishOf(accountId: string, { proxy, proxyKey, proxyCountry }: Asked): ProxyWish | undefined {
  return isNamed(proxy) ? { accountId, proxy, key: proxyKey, country: proxyCountry } : undefined;
}

/** Chooses in the admission's transaction. Undefined if all proxies of the create are URLs. */
export function firstChoice(
  context: Chooses,
  { id: sessionId, account_id: accountId }: StartingSession,
  params: CreateParams,
): ((trx: Transaction<Tables>) => Promise<ProxyOfCreate>) | undefined {
  const { proxy, proxyRules = [] } = params;
  if (!isNamed(proxy) && !proxyRules.some((rule) => isNamed(rule.proxy))) return undefined;
  return async (trx) => {
    const choose = async (asked: Asked): Promise<ChosenProxy | undefined> => {
      const wish = wishOf(accountId, asked);
      if (!wish) return undefined;
      const chosen = await context.proxies.choose(trx, wish, { sessionId });
      if (chosen) return chosen;
      throw new ApiError('proxyInvalid', { detail: `the pool ${wish.proxy.name} is empty`, field: 'proxy' });
    };
    try {
      const own = await choose(params);
      const rules: { hosts: string[]; proxy: ProxyUrl }[] = [];
      for (const rule of proxyRules) {
        const chosen = await choose({ ...params, proxy: rule.proxy });
        rules.push({ hosts: rule.hosts, proxy: chosen?.proxy ?? (rule.proxy as ProxyUrl) });
      }
      return { ok: true, choice: { own, rules }, columns: own ? columnsOf(context, own, params) : {} };
    } catch (error) {
      if (error instanceof ApiError) return { ok: false, error };
      throw error;
    }
  };
}

function columnsOf(
  { products }: Chooses,
  { proxy, proxyId, pool }: ChosenProxy,
  { proxyKey }: CreateParams,
): Partial<StartingSession> {
  return {
    proxy_id: proxyId,
    pool_id: pool?.id ?? null,
    proxy_key: proxyKey ?? null,
    ...meteredAs(products, proxy),
  };
}

/** A proxy of a pool that did not work. */
export interface FailedTry {
  chosen: ChosenProxy;
  reason: string;
}

/** Chooses another proxy of the pool for a create whose last one failed. Undefined if none is left. */
export async function nextChoice(
  context: Chooses & Pick<CreateContext, 'db'>,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  params: CreateParams,
  failed: readonly FailedTry[],
): Promise<ChosenProxy | undefined> {
  const wish = wishOf(accountId, params);
  if (wish?.proxy.kind !== 'pool') return undefined;
  const without = failed.map(({ chosen }) => chosen.proxyId);
  return context.db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const chosen = await context.proxies.choose(trx, wish, { sessionId, without });
    if (!chosen) return undefined;
    // A rule may use it still.
    if (!params.proxyRules) for (const proxyId of without) await dropUse(trx, sessionId, proxyId);
    // If the row is gone, the next attempt finds that out.
    await moveStarting(trx, sessionId, columnsOf(context, chosen, params));
    return chosen;
  });
}

/**
 * Why an open failed, if it was the fault of the session's own proxy, and not of a rule's, or of what the host has not got
 * for `proxy_pin_exit`. Hosts begin with the label of the one it was.
 */
export function proxyTrouble(error: unknown, { label }: ProxyUrl): string | undefined {
  if (error instanceof HostError && error.code === 'PROXY_UNREACHABLE')
    return error.message.startsWith(`The proxy ${label} `) ? error.message : undefined;
  if (error instanceof ApiError && error.spec.code === 'PROXY_INVALID') return error.detail;
  return undefined;
}

/** The answer when no member of a pool works: why each of them does not. */
export const noneWorks = (failed: readonly FailedTry[]): ApiError =>
  new ApiError('proxyUnreachable', {
    detail: failed.map(({ chosen, reason }) => `${chosen.name}: ${reason}`).join('; '),
    field: 'proxy',
  });

/** What a session says of the proxy that was chosen for it. */
export const describeChosen = ({ proxy, name, pool }: ChosenProxy): Record<string, string> => ({
  proxy: maskedProxyUrl(proxy),
  proxyName: name,
  ...(pool && { proxyPool: pool.name }),
});
