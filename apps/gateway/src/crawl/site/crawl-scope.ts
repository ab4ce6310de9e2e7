import { type Address, type AddressRules, isFile, readAddress } from './address.ts';
import { compileGlob } from './wildcard.ts';

/** Which addresses belong to a crawl. */
export interface ScopeRules extends AddressRules {
  /** The host of the first page; null for a batch: no link belongs to it. */
  hostname: string | null;
  subdomains: boolean;
  include: string[];
  exclude: string[];
}

export interface Scope {
  /** Reads a link. Returns undefined if it does not belong to the crawl. */
  read(link: string, base?: string): Address | undefined;
}

/** Sites redirect between both names. */
const withoutWww = (hostname: string): string => (hostname.startsWith('www.') ? hostname.slice(4) : hostname);

export function compileScope(rules: ScopeRules): Scope {
  const { hostname, subdomains } = rules;
  const site = hostname === null ? undefined : withoutWww(hostname);
  const include = rules.include.map(compileGlob);
  const exclude = rules.exclude.map(compileGlob);
  const isOfSite = (host: string): boolean =>
    site !== undefined && (withoutWww(host) === site || (subdomains && host.endsWith(`.${site}`)));
  return {
    read(link, base) {
      const address = readAddress(link, rules, base);
      if (!address || !isOfSite(address.hostname) || isFile(address.url)) return undefined;
      const matches = (pattern: { matches(text: string): boolean }) => pattern.matches(address.url);
      if (include.length > 0 && !include.some(matches)) return undefined;
      return exclude.some(matches) ? undefined : address;
    },
  };
}
