import { certificateProblem, validUntil } from '@turnpike/cluster/certificate';
import {
  type ClusterSettings,
  type ClusterTls,
  clusterSecret,
  clusterSettings,
  clusterTls,
} from '@turnpike/cluster/cluster-settings';
import { CallRefused, PrivateClient } from '@turnpike/cluster/private-client';
import { gatewayUrls } from '@turnpike/host/cluster-config';
import type { HostConfig } from '@turnpike/host/config';
import { privateUrlOf } from '@turnpike/host/join-cluster';
import { type Environment, SettingError, setting } from '@turnpike/process/settings';
import { type Finding, fail, ok, warn } from './finding.ts';

/** What the parts of a cluster must have in common, and how they find each other: docs/cluster.md. */

const oneSecret = 'create one with `openssl rand -hex 32`; it must be the same on all gateways and hosts';
const renewMs = 14 * 24 * 60 * 60_000;
const reachMs = 5000;

export function checkClusterSecret(env: Environment): Finding {
  return checked('set it to such a secret', () => {
    const secret = clusterSecret(env);
    if (secret === undefined) return fail('TURNPIKE_CLUSTER_SECRET is not set', oneSecret);
    if (new Set(secret).size < 8) return warn('TURNPIKE_CLUSTER_SECRET can be guessed', oneSecret);
    return ok('TURNPIKE_CLUSTER_SECRET is set');
  });
}

/** Gateways on one PostgreSQL open what any of them sealed. */
export function checkSecretKey(env: Environment): Finding {
  if (!env['TURNPIKE_SECRET_KEY'] && env['DATABASE_URL']) {
    return fail(
      'TURNPIKE_SECRET_KEY is not set',
      'create one with `openssl rand -hex 32`; it must be the same on all gateways',
    );
  }
  return ok('secrets are sealed under TURNPIKE_SECRET_KEY, or a key in the data directory');
}

export function checkClusterCertificates(env: Environment, part: 'gateway' | 'host', now: number): Finding {
  const advice =
    'all three of TURNPIKE_CLUSTER_TLS_CA, _CERT and _KEY name files in PEM, for calls in the clear none';
  return checked(advice, () => {
    const tls = clusterTls(env);
    if (!tls)
      return ok(
        'calls between gateways and hosts are signed but not encrypted: no TURNPIKE_CLUSTER_TLS_CERT',
      );
    const url = part === 'host' ? ownPrivateUrl(env, tls) : undefined;
    return checkCertificate('TURNPIKE_CLUSTER_TLS_CERT', { ...tls, url }, now);
  });
}

/** That of the public side, which CDP clients see. */
export function checkPublicCertificate({ tls, publicUrl }: HostConfig, now: number): Finding {
  if (tls) return checkCertificate('TURNPIKE_HOST_TLS_CERT', { cert: tls.cert, url: publicUrl }, now);
  if (publicUrl?.startsWith('wss:')) return ok('TLS for CDP ends before this host');
  return warn('CDP is not encrypted', 'set TURNPIKE_HOST_TLS_CERT and _KEY, or put TLS before the host');
}

/** Calls each, signed as a heartbeat is: whoever answers it has the secret, and a clock that agrees. */
export async function checkGateways(env: Environment): Promise<Finding[]> {
  let urls: string[];
  let settings: ClusterSettings | undefined;
  try {
    urls = gatewayUrls(env);
    settings = clusterSettings(env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return [fail(error.message, 'correct it: without it the host cannot call its gateways')];
  }
  if (!settings) return [];
  const client = new PrivateClient(settings);
  try {
    return await Promise.all(urls.map((url) => checkGateway(client, url)));
  } finally {
    client.close();
  }
}

async function checkGateway(client: PrivateClient, url: string): Promise<Finding> {
  try {
    await client.call(url, 'internal/doctor', {}, AbortSignal.timeout(reachMs));
    return ok(`the gateway at ${url} answers`);
  } catch (error) {
    // Signed, so it is one of ours; there is no such call.
    if (error instanceof CallRefused && error.status === 404) return ok(`the gateway at ${url} answers`);
    const why = error instanceof Error ? error.message : String(error);
    return fail(
      `no gateway can be called at ${url}: ${why}`,
      'start it, or correct TURNPIKE_GATEWAY_URL (its private port, 8090), TURNPIKE_CLUSTER_SECRET or the certificates',
    );
  }
}

function checkCertificate(
  name: string,
  use: { cert: Buffer; ca?: Buffer; url?: string | undefined },
  now: number,
) {
  const trouble = certificateProblem({ ...use, now });
  if (trouble)
    return fail(`${name} ${trouble}`, `put a certificate into ${name} that is valid and for that name`);
  const until = validUntil(use.cert);
  const what = `${name} is valid until ${until.toISOString().slice(0, 10)}`;
  return until.getTime() - now < renewMs ? warn(what, 'renew it, and start the part again') : ok(what);
}

function ownPrivateUrl(env: Environment, tls: ClusterTls): string {
  const bind = setting(env, 'TURNPIKE_HOST_PRIVATE_BIND');
  const port = setting(env, 'TURNPIKE_HOST_PRIVATE_PORT');
  const url = setting(env, 'TURNPIKE_HOST_PRIVATE_URL', { schemes: ['https'] });
  return url?.origin ?? privateUrlOf({ bind, tls }, port);
}

/** Reports an invalid setting as a finding, with the setting's own message. */
function checked(advice: string, check: () => Finding): Finding {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return fail(error.message, advice);
  }
}
