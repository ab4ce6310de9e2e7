import { hash } from 'node:crypto';
import { maxAddressLength } from '@turnpike/contract/crawl';

/** The address of a page in its canonical form: two links with the same one are the same page. */
export interface Address {
  url: string;
  /** Scheme, host and port. */
  origin: string;
  hostname: string;
  /** SHA-256: an index holds no long addresses. */
  hash: string;
}

export interface AddressRules {
  /** Whether parameters that only tell where a visitor comes from are taken out. */
  dropTracking: boolean;
}

const tracking =
  /^(?:utm_[^=]*|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|twclid|yclid|igshid|mc_[ce]id)(?:=|$)/i;

/**
 * Brings an address to its canonical form. Fragments, user names, default ports, a trailing dot of the host and an empty
 * query go; the order of a query stays, for some sites tell pages apart by it. Returns undefined for what is no page.
 */
export function readAddress(
  text: string,
  { dropTracking }: AddressRules,
  base?: string,
): Address | undefined {
  if (text.length > 4 * maxAddressLength) return undefined;
  const url = URL.parse(text.trim(), base);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  url.search = dropTracking ? withoutTracking(url.search) : url.search;
  const { href, origin, hostname } = url;
  if (href.length > maxAddressLength || hostname === '') return undefined;
  return { url: href, origin, hostname, hash: hash('sha256', href, 'base64url') };
}

function withoutTracking(search: string): string {
  return search
    .slice(1)
    .split('&')
    .filter((parameter) => !tracking.test(parameter))
    .join('&');
}

/** Files that a browser shows as no page, by the end of their path. Links to them are not followed. */
const files =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|ogg|oga|ogv|wav|flac|avi|mov|mkv|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|iso|apk|bin|woff2?|ttf|otf|eot|css|m?js|map|wasm|rss|atom)$/i;

export const isFile = (url: string): boolean => files.test(new URL(url).pathname);
