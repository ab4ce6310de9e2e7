import type { RuleRefusal } from '@turnpike/contract/traffic';
import { normalHost } from '@turnpike/tunnel/addresses/host-pattern';
import type { RequestHead } from '@turnpike/tunnel/http/http-head';
import { valuesOf } from '@turnpike/tunnel/http/http-headers';
import { targetOf } from '@turnpike/tunnel/plain-route';
import type { Target } from '@turnpike/tunnel/target';
import type { Refuses } from './host-rules.ts';

/**
 * Checks every host that a plain request names: that of its URL and that of its Host header, which some sites go by.
 * Returns the URL to send, written as it was read: a proxy that reads URLs differently must not find another host in
 * it. Or returns what was refused.
 */
export function checkedRequest(
  { headers }: RequestHead,
  url: URL,
  refuses: Refuses,
): string | { target: Target; reason: RuleRefusal } {
  const { port, ...named } = targetOf(url);
  const hosts = [named.host, ...valuesOf(headers, 'host').map(hostOfHeader)];
  for (const host of hosts) {
    const reason = refuses({ host, port });
    if (reason) return { target: { host, port }, reason };
  }
  const sent = new URL(url);
  sent.username = '';
  sent.password = '';
  sent.hash = '';
  return sent.href;
}

/** The host of a Host header: `example.com:8080`, `[::1]:80`. */
function hostOfHeader(value: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(value.trim()) ?? [];
  return bracketed ?? plain ?? value;
}

/** The destination of a tunnel, written as it was read. */
export const checkedTarget = ({ host, port }: Target): Target => ({ host: normalHost(host) ?? host, port });
