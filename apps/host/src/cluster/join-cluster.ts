import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Heartbeat, type HeartbeatAnswer, leaseMs } from '@turnpike/contract/heartbeat';
import type { RunningHost } from '@turnpike/contract/host';
import { nameProblem } from '@turnpike/process/cluster/certificate';
import { Membership } from '@turnpike/process/cluster/membership';
import { PrivateClient } from '@turnpike/process/cluster/private-client';
import { SettingError } from '@turnpike/process/settings';
import type { Logger } from 'pino';
import type { HostClusterConfig } from './cluster-config.ts';
import { createPrivateSide } from './private-side.ts';

export interface JoinedHost {
  membership: Membership;
  privateUrl: string;
  /** Resolves when the gateways removed this run: another has its name, or the operator removed it. */
  removed: Promise<'superseded' | 'removed'>;
  /** Takes no more sessions, and waits for running ones to end, up to the configured time. */
  retire(): Promise<void>;
  /** Sends the last heartbeat. Call it when the browsers are down. */
  leave(): Promise<void>;
}

/** Two rounds over all gateways must fit into a lease. */
const beatMs = leaseMs / 2;
const minTryMs = 1000;
const farewellMs = 10_000;
const pollMs = 100;

/** Registers a host of this process with the gateways, and serves their calls. */
export async function joinCluster(
  host: RunningHost,
  config: HostClusterConfig,
  logger: Logger,
): Promise<JoinedHost> {
  const client = new PrivateClient(config);
  const side = createPrivateSide({ ...config, host, membership: () => membership, logger });
  await side.listen(config.port, config.bind);
  const privateUrl = config.privateUrl ?? privateUrlOf(config, side.port);
  const trouble = config.tls && nameProblem(config.tls.cert, privateUrl);
  if (trouble) {
    await side.close();
    throw new SettingError(
      'TURNPIKE_CLUSTER_TLS_CERT',
      `is not for ${privateUrl}, where gateways call: ${trouble}`,
    );
  }
  const removed = Promise.withResolvers<'superseded' | 'removed'>();
  const membership = new Membership({
    ...{ host, privateUrl, logger, send: beatSender(config.gatewayUrls, client) },
    onRemoved: removed.resolve,
  });
  membership.start();
  return {
    ...{ membership, privateUrl, removed: removed.promise },
    async retire() {
      await membership.retire();
      const deadline = performance.now() + config.drainMs;
      while (host.seats().used > 0 && performance.now() < deadline) await delay(pollMs);
    },
    async leave() {
      await membership.leave(farewellMs);
      await side.close();
      client.close();
    },
  };
}

/** Sends heartbeats to the gateway that answered last, and to the others when it fails. */
function beatSender(urls: readonly string[], client: PrivateClient) {
  let order = [...urls];
  return async (beat: Heartbeat): Promise<HeartbeatAnswer> => {
    const failures: unknown[] = [];
    for (const url of order) {
      try {
        const signal = AbortSignal.timeout(Math.max(minTryMs, Math.floor(beatMs / order.length)));
        const answer = await client.call(url, 'internal/hosts/heartbeat', beat, signal);
        order = [url, ...order.filter((other) => other !== url)];
        return answer as HeartbeatAnswer;
      } catch (error) {
        failures.push(error);
      }
    }
    throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'No gateway answers');
  };
}

/** The URL of the private server when no setting names one. */
export function privateUrlOf({ bind, tls }: Pick<HostClusterConfig, 'bind' | 'tls'>, port: number): string {
  const name = bind === '0.0.0.0' || bind === '::' ? os.hostname() : bind;
  return `${tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
