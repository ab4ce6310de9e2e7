import { HostError, type ProxyExit, type UpstreamProxy } from '@turnpike/contract/host';
import { within } from '@turnpike/process/within';
import { probeExit, probeTarget } from '@turnpike/tunnel/exit/exit-probe';
import { formatTarget } from '@turnpike/tunnel/target';
import type { Upstream } from '@turnpike/tunnel/upstream';
import { UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import type { Logger } from 'pino';
import type { Route } from '../forwarder/routes.ts';
import type { SessionTraffic } from '../forwarder/session-traffic.ts';

/** How long the proxy's exit address is waited for at most. */
export const probeTimeoutMs = 3000;

export interface ProbeOptions {
  probeUrl: URL | undefined;
  logger: Logger;
}

/** Says why the exit address of a session's proxy cannot be watched. */
export function pinTrouble(probeUrl: URL | undefined, { refuses }: SessionTraffic): HostError | undefined {
  const reason = !probeUrl
    ? 'proxy_pin_exit needs TURNPIKE_PROXY_PROBE_URL on the host. Ask the operator to set it.'
    : refuses?.(probeTarget(probeUrl)) &&
      `proxy_pin_exit needs to reach ${probeUrl.hostname}, which allow_hosts or block_hosts refuses.`;
  return reason ? new HostError('PROXY_UNREACHABLE', reason) : undefined;
}

/** Makes one handshake with a proxy. Rejects with a `HostError` that names it. */
export async function checkUpstream(upstream: Upstream, signal: AbortSignal): Promise<void> {
  try {
    await upstream.check(signal);
  } catch (error) {
    throw proxyHostError(error, upstream.proxy);
  }
}

/** Answers the exit address of a session that is pinned to it. Throws a `HostError` if it could not be read. */
export function requireExit(exit: ProxyExit | undefined): ProxyExit {
  if (exit) return exit;
  const reason = 'The exit address of the proxy, which proxy_pin_exit needs, could not be read';
  throw new HostError('PROXY_UNREACHABLE', reason);
}

/**
 * Checks a proxy and, at the same time, finds its exit address. A session that may not reach the site that tells the
 * address does not ask it: nothing but the customer's hosts is to be in its ledger.
 */
export async function checkWithExit(
  { upstream, record }: Route,
  { refuses }: SessionTraffic,
  { probeUrl, logger }: ProbeOptions,
  signal: AbortSignal,
): Promise<ProxyExit | undefined> {
  const mayProbe = probeUrl && !refuses?.(probeTarget(probeUrl));
  using bounds = within(probeTimeoutMs, signal);
  const probed = mayProbe ? probeExit(upstream, probeUrl, bounds.signal) : undefined;
  probed?.catch((error: Error) => logger.debug({ reason: error.message }, 'exit of the proxy not found'));
  await checkUpstream(upstream, signal);
  const exit = await probed?.catch(() => undefined);
  if (exit) record.exit = exit;
  return exit;
}

/** Says what a proxy did: a saved one by its name, others by their address. */
export function proxyHostError(error: unknown, { host, port, label }: UpstreamProxy): unknown {
  if (!(error instanceof UpstreamProxyError)) return error;
  const name = label ?? formatTarget({ host, port });
  return new HostError('PROXY_UNREACHABLE', `The proxy ${name} ${error.message}`, { cause: error });
}
