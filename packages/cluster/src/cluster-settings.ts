import { createSecureContext } from 'node:tls';
import { type Environment, fileSetting, SettingError, textSetting } from '@turnpike/process/settings';

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

const minSecretLength = 32;
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

export function clusterSecret(env: Environment): string | undefined {
  const secret = textSetting(env, 'TURNPIKE_CLUSTER_SECRET');
  if (secret !== undefined && secret.length < minSecretLength) {
    throw new SettingError(
      'TURNPIKE_CLUSTER_SECRET',
      `must have at least ${minSecretLength} characters; create one with \`openssl rand -hex 32\``,
    );
  }
  return secret;
}

export function clusterTls(env: Environment): ClusterTls | undefined {
  const ca = fileSetting(env, tlsNames.ca);
  const cert = fileSetting(env, tlsNames.cert);
  const key = fileSetting(env, tlsNames.key);
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
