import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AddressGuard } from '@turnpike/process/address-guard';
import { describeFailure, type ProxyError } from '@turnpike/tunnel/proxy-error';
import type { Target } from '@turnpike/tunnel/target';
import { Refusal } from './refusal.ts';

export const dialTimeoutMs = 10_000;

/** A way out for one product. */
export interface RouteOut {
  /** Where the traffic comes out, as far as it is known. */
  country: string;
  tunnel(target: Target): Promise<Socket>;
  /** Carries a plain HTTP request to its end. */
  carry(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export const notAllowed = () => new Refusal(403, 'the address of the target is not allowed');

export async function checkTarget(guard: AddressGuard, host: string, signal: AbortSignal): Promise<string[]> {
  const checked = await guard.resolve(host, signal);
  if (checked.ok) return checked.addresses;
  throw checked.reason === 'not-allowed' ? notAllowed() : new Refusal(502, `${host} does not resolve`);
}

export function httpUrl(request: IncomingMessage): URL {
  const url = URL.parse(request.url ?? '');
  if (url?.protocol !== 'http:')
    throw new Refusal(400, 'not a proxy request: the URL must begin with http://');
  return url;
}

export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const failure: ProxyError = describeFailure(error);
  return new Refusal(failure.timedOut ? 504 : 502, `the other side ${failure.message}`, { cause: error });
}
