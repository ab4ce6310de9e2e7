import { readFileSync } from 'node:fs';
import { isProduct, type Product, products } from '@turnpike/contract/bandwidth';
import { SettingError } from '@turnpike/process/settings';
import { type ProxyUrl, parseProxyUrl } from './proxy-url.ts';

/** One upstream proxy of a product. */
export interface ProductUpstream {
  proxy: ProxyUrl;
  /** The exit country, upper case; undefined if any. */
  country: string | undefined;
  /**
   * `proxy`: the metered proxy connects through it and counts the bytes. `session`: accounts use it directly, and it
   * reports nothing, so hosts count the bytes of its sessions.
   */
  meter: 'proxy' | 'session';
}

/** Where a product's traffic goes: directly to the target (for development), or through its upstream proxies. */
export type ProductRoute = 'direct' | readonly ProductUpstream[];

export type ProductMap = Readonly<Partial<Record<Product, ProductRoute>>>;

const setting = 'TURNPIKE_PRODUCTS_FILE';

export function readProductMap(file: string): ProductMap {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new SettingError(setting, `names a file that cannot be read: ${(cause as Error).message}`);
  }
  return parseProductMap(text);
}

export function parseProductMap(text: string): ProductMap {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SettingError(setting, `is not JSON: ${(cause as Error).message}`);
  }
  if (!isRecord(value))
    throw new SettingError(setting, 'must contain a JSON object with a member for each product');
  const routes = Object.entries(value).map(([name, route]): [Product, ProductRoute] => {
    if (!isProduct(name))
      throw new SettingError(setting, `has the unknown product ${name}. Use ${products.join(', ')}`);
    return [name, parseRoute(name, route)];
  });
  return Object.fromEntries(routes);
}

function parseRoute(name: Product, route: unknown): ProductRoute {
  if (route === 'direct') return route;
  const upstreams = isRecord(route) ? route['upstreams'] : undefined;
  if (!Array.isArray(upstreams) || upstreams.length === 0) {
    throw new SettingError(setting, `: ${name} must be "direct" or {"upstreams": [{"url": …}, …]}`);
  }
  return upstreams.map((upstream, i) => parseUpstream(`${name}.upstreams[${i}]`, upstream));
}

function parseUpstream(where: string, upstream: unknown): ProductUpstream {
  const refuse = (rule: string) => new SettingError(setting, `: ${where}${rule}`);
  if (!isRecord(upstream)) throw refuse(' must be an object');
  const { url, country, meter = 'proxy' } = upstream;
  const parsed = typeof url === 'string' ? parseProxyUrl(url) : undefined;
  if (!parsed) throw refuse('.url must be a proxy URL');
  if (!parsed.ok) throw refuse(`.url is not a valid proxy URL (${parsed.rule})`);
  if (country !== undefined && !(typeof country === 'string' && /^[A-Za-z]{2}$/.test(country))) {
    throw refuse('.country must be two letters (ISO 3166-1)');
  }
  if (meter !== 'proxy' && meter !== 'session') throw refuse('.meter must be "proxy" or "session"');
  return { proxy: parsed.proxy, country: country?.toUpperCase(), meter };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
