import net from 'node:net';

/** Characters that no host name has, and that end or begin another part of a URL. */
const notInHosts = /[\s/?#@:\\%[\]<>^|\p{Cc}]/u;
const maxNameLength = 253;
/** As it is written: a character may take nine in percent-encoding, and the cost of Punycode is a square. */
const maxWrittenLength = 10 * maxNameLength;

/**
 * Writes a host in one way, so that two spellings of the same host are equal: lowercase, punycode, no dot at the end,
 * addresses in their shortest usual form. Returns undefined if it is not a host.
 */
export function normalHost(host: string): string | undefined {
  if (host.length > maxWrittenLength) return undefined;
  const isIpv6 = net.isIPv6(host);
  if (!isIpv6 && notInHosts.test(host)) return undefined;
  const parsed = URL.parse(isIpv6 ? `http://[${host}]/` : `http://${host}/`)?.hostname;
  const normal = parsed?.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (!normal || normal.length > maxNameLength || normal.split('.').includes('')) return undefined;
  return ipv4Within(normal) ?? normal;
}

/** An IPv4 address inside of an IPv6 one (RFC 4291, 2.5.5.2) leads to the same place. */
function ipv4Within(host: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const groups = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}

const anyBelow = '*.';

/**
 * Parses `example.com`, `*.example.com` or an address into the normal form. Returns undefined if it is none of them.
 */
export function parseHostPattern(text: string): string | undefined {
  const isWild = text.startsWith(anyBelow);
  const named = isWild ? text.slice(anyBelow.length) : text;
  const host = normalHost(/^\[.*\]$/.test(named) ? named.slice(1, -1) : named);
  // A full-width asterisk is an ordinary one in the normal form.
  if (host === undefined || host.includes('*') || (isWild && net.isIP(host))) return undefined;
  return isWild ? anyBelow + host : host;
}

/**
 * Compiles patterns in their normal form. `example.com` matches that name alone. `*.example.com` matches every name
 * below it, at any depth, and neither `example.com` nor `notexample.com`.
 */
export function hostMatcher(patterns: readonly string[]): (normalHost: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.startsWith(anyBelow)));
  const parents = new Set(
    patterns
      .filter((pattern) => pattern.startsWith(anyBelow))
      .map((pattern) => pattern.slice(anyBelow.length)),
  );
  return (host) => names.has(host) || (parents.size > 0 && !net.isIP(host) && hasParentIn(host, parents));
}

function hasParentIn(host: string, parents: ReadonlySet<string>): boolean {
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
    if (parents.has(host.slice(dot + 1))) return true;
  }
  return false;
}
