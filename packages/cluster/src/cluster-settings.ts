import { createSecureContext } from 'node:tls';
import { type Environment, SettingError, setting } from '@turnpike/process/settings';

/** Certificates of one authority. Both sides of every connection identify themselves with them. */
export interface ClusterTls {
  ca: Buffer;
  cert: Buffer;
  key: Buffer;
}

/** Settings that all parts of a cluster share. */
export interface ClusterSettings {
  secret: string;
  tls: ClusterTls | undefined;
}

const tlsNames = {
  ca: 'TURNPIKE_CLUSTER_TLS_CA',
  cert: 'TURNPIKE_CLUSTER_TLS_CERT',
  key: 'TURNPIKE_CLUSTER_TLS_KEY',
} as const;

/** Reads the cluster's settings; undefined if this process is in no cluster. */
export function clusterSettings(env: Environment): ClusterSettings | undefined {
  const tls = clusterTls(env);
  const secret = clusterSecret(env);
  return secret === undefined ? undefined : { secret, tls };
}

export const clusterSecret = (env: Environment): string | undefined =>
  setting(env, 'TURNPIKE_CLUSTER_SECRET');

export function clusterTls(env: Environment): ClusterTls | undefined {
  const ca = setting(env, tlsNames.ca);
  const cert = setting(env, tlsNames.cert);
  const key = setting(env, tlsNames.key);
  if (!ca && !cert && !key) return undefined;
  for (const [part, value] of Object.entries({ ca, cert, key })) {
    const name = tlsNames[part as keyof typeof tlsNames];
    if (!value)
      throw new SettingError(name, `must be set together with ${Object.values(tlsNames).join(', ')}`);
  }
  const tls = { ca, cert, key } as ClusterTls;
  try {
    createSecureContext(tls);
  } catch (cause) {
    throw new SettingError(tlsNames.cert, `and its key cannot be used: ${(cause as Error).message}`);
  }
  return tls;
}
