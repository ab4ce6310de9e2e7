import type { UpstreamProxy } from '@turnpike/contract/host';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { ApiError } from '../http/api-error.ts';
import type { ChosenProxy, ProxyFinding, SessionProxies } from '../seams/session-proxies.ts';
import { chooseProxy } from './choose-proxy.ts';
import type { ProxyContext } from './proxy-context.ts';
import { markFailing, markHealthy } from './proxy-health-store.ts';

/** Saved proxies and pools, for whoever opens or changes sessions. */
export const sessionProxies = (context: ProxyContext): SessionProxies => ({
  choose: (trx, wish, options) => chooseProxy(context, trx, wish, options),
  pin: (proxy, signal) => pinProxy(context, proxy, signal),
  found: (chosen, finding) => storeFinding(context, chosen, finding),
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

async function storeFinding(
  { db, now }: ProxyContext,
  { proxyId, state }: ChosenProxy,
  finding: ProxyFinding,
): Promise<void> {
  if (!finding.works) await markFailing(db, proxyId, { reason: finding.reason, now: now() });
  else if (state.name !== 'healthy') await markHealthy(db, proxyId, { read: state, now: now() });
}
