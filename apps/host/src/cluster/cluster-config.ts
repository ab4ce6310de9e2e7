import { type ClusterSettings, clusterSettings } from '@turnpike/cluster/cluster-settings';
import {
  type Environment,
  integerSetting,
  portSetting,
  SettingError,
  textSetting,
  urlSetting,
} from '@turnpike/process/settings';

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
  const settings = clusterSettings(env);
  if (!settings)
    throw new SettingError('TURNPIKE_CLUSTER_SECRET', 'must be set to the same secret as on the gateways');
  const privateUrl = urlSetting(
    env,
    'TURNPIKE_HOST_PRIVATE_URL',
    settings.tls ? ['https'] : ['http', 'https'],
  );
  return {
    ...settings,
    gatewayUrls: gatewayUrls(env),
    bind: textSetting(env, 'TURNPIKE_HOST_PRIVATE_BIND') ?? '127.0.0.1',
    port: portSetting(env, 'TURNPIKE_HOST_PRIVATE_PORT', 8091),
    privateUrl: privateUrl?.origin,
    drainMs: 1000 * integerSetting(env, 'TURNPIKE_HOST_DRAIN_SECONDS', { fallback: 0, min: 0, max: 86_400 }),
  };
}

/** With certificates, only HTTPS URLs are allowed. */
export function gatewayUrls(env: Environment): string[] {
  const protocols = env['TURNPIKE_CLUSTER_TLS_CERT'] ? ['https:'] : ['http:', 'https:'];
  const name = 'TURNPIKE_GATEWAY_URL';
  const urls = (textSetting(env, name) ?? '').split(',').map((text) => URL.parse(text.trim()));
  return urls.map((url) => {
    if (!url || !protocols.includes(url.protocol) || url.pathname !== '/')
      throw new SettingError(
        name,
        `must be the gateways' private URL, such as ${protocols[0]}//gateway:8090, or several separated by commas`,
      );
    return url.origin;
  });
}
