import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns what a client's attempts and connections are counted by: its IPv4 address, or the /64 of its IPv6 address,
 * which one customer usually has.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  // Node knows more forms of a zone id than the parser.
  const [plain = ''] = address.split('%');
  const parsed = ipaddr.IPv6.parse(plain);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4);
  return network.map((group) => group.toString(16)).join(':');
}
