import { products } from '@turnpike/contract/bandwidth';
import { type Environment, setting } from '@turnpike/process/settings';
import { type ProductMap, readProductMap } from '@turnpike/tunnel/addresses/product-map';

export interface ProxyConfig {
  bind: string;
  port: number;
  products: ProductMap;
  /** Non-public targets that are allowed; see the address guard. */
  targetAllow: string;
  /** Connections that one account may have open at once. */
  accountConnections: number;
  /** Time for a request's head or a SOCKS handshake to be complete. */
  handshakeMs: number;
}

/** The proxy's only reader of the environment. */
export function readProxyConfig(env: Environment): ProxyConfig {
  const file = setting(env, 'TURNPIKE_PRODUCTS_FILE');
  return {
    bind: setting(env, 'TURNPIKE_PROXY_BIND'),
    port: setting(env, 'TURNPIKE_PROXY_PORT'),
    products: file ? readProductMap(file) : allDirect,
    targetAllow: setting(env, 'TURNPIKE_PROXY_TARGET_ALLOW'),
    accountConnections: setting(env, 'TURNPIKE_PROXY_ACCOUNT_CONNECTIONS'),
    handshakeMs: 15_000,
  };
}

/** Without a file, as in development, every product connects directly to the target. */
const allDirect: ProductMap = Object.fromEntries(products.map((product) => [product, 'direct'] as const));
