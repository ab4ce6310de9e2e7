import type { ProxyExit, UpstreamProxy } from '@turnpike/contract/host';
import type { Route } from '../forwarder/routes.ts';
import type { SessionTraffic } from '../forwarder/session-traffic.ts';
import { checkWithExit, type ProbeOptions, proxyHostError, requireExit } from './check-proxy.ts';

/**
 * Checks another proxy for a session, and uses it for new connections from then on. Connections through the one before
 * are cut. If the check fails, nothing has changed, but the ledger has the bytes of the check.
 */
export async function changeProxy(
  traffic: SessionTraffic,
  proxy: UpstreamProxy,
  { pinsExit, ...options }: ProbeOptions & { pinsExit: boolean },
  signal: AbortSignal,
): Promise<{ exit?: ProxyExit }> {
  const route = newRoute(traffic, proxy);
  try {
    const found = await checkWithExit(route, traffic, options, signal);
    const exit = pinsExit ? requireExit(found) : found;
    signal.throwIfAborted();
    traffic.changeOwn(route);
    return exit ? { exit } : {};
  } catch (error) {
    traffic.closeRoute(route);
    throw error;
  }
}

function newRoute(traffic: SessionTraffic, proxy: UpstreamProxy): Route {
  try {
    return traffic.routeTo(proxy);
  } catch (error) {
    throw proxyHostError(error, proxy);
  }
}
