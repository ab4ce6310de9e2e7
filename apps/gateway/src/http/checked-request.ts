import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

/**
 * Begins a POST to an address that an account has given, if the guard allows it. Follows no redirects. The caller adds
 * listeners for `response` and `error` at once, and ends the request.
 */
export async function checkedPost(
  guard: AddressGuard,
  { url, headers, body }: Message,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const target = new URL(url);
  const resolution = await guard.resolve(urlHost(target), signal, portOf(target));
  if (!resolution.ok) {
    throw new Error(
      resolution.reason === 'not-found'
        ? 'its host name could not be resolved'
        : 'its address is not public, and not one that the operator allows',
    );
  }
  const open = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return open(target, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent: false,
    signal,
    lookup: pinned(resolution.addresses),
  });
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
