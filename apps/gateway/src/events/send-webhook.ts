import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { within } from '@turnpike/process/within';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/** Sends a webhook. Resolves with the receiver's status, rejects if there is none in time. Follows no redirects. */
export async function sendWebhook(
  guard: AddressGuard,
  { url, headers, body }: Message,
  { timeoutMs, stop }: { timeoutMs: number; stop: AbortSignal },
): Promise<number> {
  using bounds = within(timeoutMs, stop);
  const { signal } = bounds;
  const target = new URL(url);
  const resolution = await guard.resolve(urlHost(target), signal, portOf(target));
  if (!resolution.ok) {
    throw new Error(
      resolution.reason === 'not-found'
        ? 'its host name could not be resolved'
        : 'its address is not public, and not one that the operator allows',
    );
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const open = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = open(target, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
    signal,
    lookup: pinned(resolution.addresses),
  });
  request.on('response', (response) => {
    response.resume(); // The body does not matter, and is not waited for.
    resolve(response.statusCode ?? 0);
    request.destroy();
  });
  request.on('error', (error) =>
    reject(bounds.isLate ? new Error(`no answer within ${timeoutMs / 1000} seconds`) : error),
  );
  request.end(body);
  return await promise;
}

/** Connects to the address that was checked, not to what the name resolves to a moment later. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}
