import { type ClusterSettings, clusterSettings } from '@turnpike/cluster/cluster-settings';
import { type Environment, SettingError, setting } from '@turnpike/process/settings';
import { settings } from '@turnpike/process/settings/setting-table';

/** Settings of a host that runs without a gateway in its process. */
export interface HostClusterConfig extends ClusterSettings {
  /** Private URLs of gateways or of a load balancer; tried in turn. */
  gatewayUrls: readonly string[];
  bind: string;
  port: number;
  /** The URL at which gateways call this host; default: the bound address. */
  privateUrl: string | undefined;
  /** How long running sessions may go on when the host is told to stop. */
  drainMs: number;
}

export function readHostClusterConfig(env: Environment): HostClusterConfig {
  const shared = clusterSettings(env);
  if (!shared)
    throw new SettingError('TURNPIKE_CLUSTER_SECRET', 'must be set to the same secret as on the gateways');
  const privateUrl = setting(env, 'TURNPIKE_HOST_PRIVATE_URL', shared.tls && { schemes: ['https'] });
  return {
    ...shared,
    gatewayUrls: gatewayUrls(env),
    bind: setting(env, 'TURNPIKE_HOST_PRIVATE_BIND'),
    port: setting(env, 'TURNPIKE_HOST_PRIVATE_PORT'),
    privateUrl: privateUrl?.origin,
    drainMs: 1000 * setting(env, 'TURNPIKE_HOST_DRAIN_SECONDS'),
  };
}

/** With certificates, only HTTPS URLs are allowed. */
export function gatewayUrls(env: Environment): string[] {
  const name = 'TURNPIKE_GATEWAY_URL';
  const urls = setting(env, name).map((text) => new URL(text));
  const isSecure = Boolean(env['TURNPIKE_CLUSTER_TLS_CERT']);
  if (urls.length === 0 || (isSecure && urls.some((url) => url.protocol !== 'https:'))) {
    const { rule } = settings[name];
    throw new SettingError(name, `must ${isSecure ? rule.replace('http:', 'https:') : rule}`);
  }
  return urls.map((url) => url.origin);
}
