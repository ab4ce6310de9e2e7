import { savedNamePattern } from '@turnpike/contract/ids';
import { type ProxyChoice, proxyChoice } from '@turnpike/contract/proxies';
import { type ProxyUrl, parseProxyUrl } from './proxy-url.ts';

/** A saved proxy or a pool, by its name. */
export type NamedProxy = Exclude<ProxyChoice, { kind: 'url' }>;

export type ParsedProxyText = { ok: true; proxy: ProxyUrl | NamedProxy } | { ok: false; rule: string };

/** Parses what may stand for a proxy: a URL, or `name:` or `pool:` with a name. Whether that exists is not known here. */
export function parseProxyText(text: string): ParsedProxyText {
  const choice = proxyChoice(text);
  if (choice.kind === 'url') return parseProxyUrl(text);
  if (savedNamePattern.test(choice.name)) return { ok: true, proxy: choice };
  return { ok: false, rule: `no ${choice.kind === 'pool' ? 'pool' : 'saved proxy'} has such a name` };
}
