import { type Environment, portSetting } from '@turnpike/process/settings';

export interface ProxyConfig {
  port: number;
}

/** The proxy's only reader of the environment. */
export function readProxyConfig(env: Environment): ProxyConfig {
  return { port: portSetting(env, 'TURNPIKE_PROXY_PORT', 8082) };
}
