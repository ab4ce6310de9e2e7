import type { ProxyCheck } from '@turnpike/contract/proxies';
import { within } from '@turnpike/process/within';
import { fetchThrough, probeExit } from '@turnpike/tunnel/exit/exit-probe';
import { Upstream } from '@turnpike/tunnel/upstream';
import { UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import { ApiError, badRequest } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import type { SavedProxyRow } from '../store/tables/proxy-tables.ts';
import { fillProxy } from './choose-proxy.ts';
import type { ProxyContext } from './proxy-context.ts';
import { pinProxy, storeFinding } from './resolve-proxy.ts';
import { findProxy } from './saved-proxy-store.ts';

const dialMs = 10_000;
const probeMs = 5000;
const fetchMs = 15_000;
const checkMs = 30_000;

export interface CheckRequest {
  url?: string | undefined;
  country?: string | undefined;
}

/** Checks a proxy of the account's now. */
export async function checkOwn(
  context: ProxyContext,
  accountId: string,
  name: string,
  { url, country }: CheckRequest,
  signal: AbortSignal,
): Promise<ProxyCheck> {
  const target = url === undefined ? undefined : URL.parse(url);
  if (target === null || (target && !/^https?:$/.test(target.protocol)))
    throw badRequest('url must be an address with http or https', { field: 'url' });
  const row = await findProxy(context.db, accountId, name);
  if (!row) throw new ApiError('notFound');
  return checkSaved(context, row, { target, country }, signal);
}

/** Dials a saved proxy, and stores how it is. */
export async function checkSaved(
  context: ProxyContext,
  row: SavedProxyRow,
  { target, country }: { target?: URL | undefined; country?: string | undefined },
  outer: AbortSignal,
): Promise<ProxyCheck> {
  using bounds = within(checkMs, outer);
  const answer: ProxyCheck = {
    ok: false,
    latencyMs: null,
    exitIp: null,
    exitCountry: null,
    fetched: null,
    error: null,
    checkedAt: iso(context.now()),
  };
  const proxy = { proxyId: row.id, wasHealthy: row.state === 'healthy' };
  let upstream: Upstream | undefined;
  try {
    upstream = await upstreamOf(context, row, country, bounds.signal);
    const startedAt = performance.now();
    await upstream.check(bounds.signal);
    answer.latencyMs = Math.round(performance.now() - startedAt);
    const exit = await exitOf(context, upstream, bounds.signal);
    answer.exitIp = exit?.ip ?? null;
    answer.exitCountry = exit?.country ?? null;
    const { latencyMs } = answer;
    await storeFinding(context, row.account_id, proxy, { works: true, isCheck: true, latencyMs, exit });
  } catch (error) {
    outer.throwIfAborted();
    const reason = reasonOf(error);
    await storeFinding(context, row.account_id, proxy, { works: false, isCheck: true, reason });
    upstream?.close();
    return { ...answer, error: reason };
  }
  try {
    // What the site does says nothing about the proxy.
    if (target) answer.fetched = await fetched(upstream, target, bounds.signal);
    answer.ok = true;
  } catch (error) {
    outer.throwIfAborted();
    answer.error = reasonOf(error);
  } finally {
    upstream.close();
  }
  return answer;
}

/** Placeholders get values that any provider takes. */
async function upstreamOf(
  context: ProxyContext,
  row: SavedProxyRow,
  country: string | undefined,
  signal: AbortSignal,
): Promise<Upstream> {
  const wish = { accountId: row.account_id, country: country ?? row.country ?? 'US' };
  const { proxy } = await fillProxy(context, undefined, { ...wish, key: undefined }, row);
  const pinned = await pinProxy(context, proxy, signal);
  if (pinned.addresses.length === 0) throw new UpstreamProxyError('has a name that does not resolve');
  return new Upstream(pinned, dialMs);
}

async function exitOf({ probeUrl, logger }: ProxyContext, upstream: Upstream, signal: AbortSignal) {
  if (!probeUrl) return undefined;
  using bounds = within(probeMs, signal);
  try {
    return await probeExit(upstream, probeUrl, bounds.signal);
  } catch (error) {
    logger.debug({ reason: (error as Error).message }, 'exit of a saved proxy not found');
    return undefined;
  }
}

async function fetched(upstream: Upstream, target: URL, signal: AbortSignal) {
  using bounds = within(fetchMs, signal);
  return fetchThrough(upstream, target, bounds.signal);
}

/** How it failed, for a person. None of these has a password. */
function reasonOf(error: unknown): string {
  if (error instanceof UpstreamProxyError) return `The proxy ${error.message}`;
  if (error instanceof ApiError) return error.detail ?? error.message;
  if ((error as Error).name === 'TimeoutError') return 'It took too long';
  return 'The answer could not be read';
}
