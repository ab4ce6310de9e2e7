import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import { BadMessage } from '@turnpike/tunnel/http/http-headers';
import type { PlainRoute } from '@turnpike/tunnel/plain-exchange';
import type { Connection } from '@turnpike/tunnel/sockets/connection';
import type { Target } from '@turnpike/tunnel/target';
import { describeFailure, UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import { Refusal } from './refusal.ts';

export const dialTimeoutMs = 10_000;

/** The route of one product's traffic. */
export interface RouteOut {
  /** The exit country, if it is known. */
  country: string;
  tunnel(target: Target): Promise<Connection>;
  /** The route of a plain HTTP request. `written`: the URL exactly as the client sent it. */
  plain(url: URL, written: string): Promise<PlainRoute>;
}

export const notAllowed = (host: string) =>
  new Refusal(
    403,
    `${host} is not a public address, and this proxy does not go there. The operator can allow it in TURNPIKE_PROXY_TARGET_ALLOW.`,
  );

export async function checkTarget(guard: AddressGuard, host: string, signal: AbortSignal): Promise<string[]> {
  const checked = await guard.resolve(host, signal);
  if (checked.ok) return checked.addresses;
  throw checked.reason === 'not-allowed' ? notAllowed(host) : new Refusal(502, `${host} does not resolve`);
}

export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof BadMessage) return new Refusal(400, error.message);
  const isExpected =
    error instanceof UpstreamProxyError || (error as NodeJS.ErrnoException).code !== undefined;
  if (!isExpected && (error as Error).name !== 'TimeoutError') {
    return new Refusal(502, 'the proxy failed; try again', { cause: error });
  }
  const { timedOut, message } = describeFailure(error);
  return new Refusal(timedOut ? 504 : 502, `the other side ${message}`, { cause: error });
}
