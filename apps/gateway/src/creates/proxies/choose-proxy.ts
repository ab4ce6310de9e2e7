import { HostError } from '@turnpike/contract/host';
import { maskedProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { Transaction } from 'kysely';
import { ApiError } from '../../http/api-error.ts';
import { meteredAs } from '../../ledger/metering.ts';
import { lockAccount } from '../../limits/account-lock-store.ts';
import { type ChosenProxy, isNamed, type ProxyWish } from '../../seams/session-proxies.ts';
import type { Tables } from '../../store/tables.ts';
import type { CreateChoice, ProxyOfCreate } from '../admission-store.ts';
import type { CreateContext } from '../create-context.ts';
import type { CreateParams } from '../parameters/create-params.ts';
import { dropUse, moveStarting, type StartingSession } from '../starting-session-store.ts';

/** The saved proxies of a create and its rules: which it gets first, and which next if one does not work. */

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
      const rules: (ChosenProxy | undefined)[] = [];
      for (const { proxy } of proxyRules) rules.push(await choose({ ...params, proxy }));
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

/** A saved proxy that did not work. */
export interface FailedTry {
  chosen: ChosenProxy;
  reason: string;
}

/**
 * Chooses other members of the pools that gave a create the proxy that failed last, for the session and for its rules.
 * Undefined if none is left, or the proxy was named itself.
 */
export async function nextChoice(
  context: Chooses & Pick<CreateContext, 'db'>,
  { sessionId, accountId }: { sessionId: string; accountId: string },
  params: CreateParams,
  { own, rules }: CreateChoice,
  failed: readonly FailedTry[],
): Promise<CreateChoice | undefined> {
  const without = failed.map(({ chosen }) => chosen.proxyId);
  const last = without.at(-1) as string;
  return context.db
    .transaction()
    .execute(async (trx) => {
      await lockAccount(trx, accountId);
      const next = async (asked: CreateParams['proxy'], chosen: ChosenProxy | undefined) => {
        if (chosen?.proxyId !== last) return chosen;
        const wish = wishOf(accountId, { ...params, proxy: asked });
        const other =
          wish?.proxy.kind === 'pool'
            ? await context.proxies.choose(trx, wish, { sessionId, without })
            : undefined;
        if (!other) throw noneLeft;
        return other;
      };
      const nextOwn = await next(params.proxy, own);
      const nextRules: (ChosenProxy | undefined)[] = [];
      for (const [i, { proxy }] of (params.proxyRules ?? []).entries())
        nextRules.push(await next(proxy, rules[i]));
      await dropUse(trx, sessionId, last);
      // If the row is gone, the next attempt finds that out.
      if (nextOwn && nextOwn !== own) await moveStarting(trx, sessionId, columnsOf(context, nextOwn, params));
      return { own: nextOwn, rules: nextRules };
    })
    .catch((error) => {
      if (error === noneLeft) return undefined;
      throw error;
    });
}

/** Rolls a choice back that is not whole. */
const noneLeft = new Error('no other proxy is left');

/** The saved proxies of a create, its own first. */
export const chosenIn = ({ own, rules }: CreateChoice): ChosenProxy[] =>
  [own, ...rules].filter((chosen) => chosen !== undefined);

/**
 * Which saved proxy is to blame that an open failed, and why. Undefined: none is. Hosts begin with the label of the one
 * it was.
 */
export function proxyTrouble(error: unknown, choice: CreateChoice): FailedTry | undefined {
  if (error instanceof HostError && error.code === 'PROXY_UNREACHABLE') {
    const { message: reason } = error;
    const chosen = chosenIn(choice).find(({ proxy }) => reason.startsWith(`The proxy ${proxy.label} `));
    return chosen && { chosen, reason };
  }
  // What is wrong with a rule says nothing about the session's own.
  if (error instanceof ApiError && error.spec.code === 'PROXY_INVALID' && error.field === 'proxy')
    return choice.own && { chosen: choice.own, reason: error.detail ?? error.message };
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
