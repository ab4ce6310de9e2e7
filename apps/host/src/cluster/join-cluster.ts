import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { nameProblem } from '@turnpike/cluster/certificate';
import { Membership } from '@turnpike/cluster/membership';
import type { RunningHost } from '@turnpike/contract/host';
import { SettingError } from '@turnpike/process/settings';
import type { Logger } from 'pino';
import type { HostClusterConfig } from './cluster-config.ts';
import { LeaseThread } from './lease-thread.ts';
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

const farewellMs = 10_000;
const pollMs = 100;

/** Registers a host of this process with the gateways, and serves their calls. */
export async function joinCluster(
  host: RunningHost,
  config: HostClusterConfig,
  logger: Logger,
): Promise<JoinedHost> {
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
  const thread = new LeaseThread({
    ...config,
    logger,
    onRepeated: (answer, sentAt) => membership.heard(answer, sentAt),
  });
  const membership = new Membership({
    host,
    privateUrl,
    logger,
    send: (beat) => thread.send(beat),
    onRemoved: removed.resolve,
  });
  membership.start();
  return {
    membership,
    privateUrl,
    removed: removed.promise,
    async retire() {
      await membership.retire();
      const deadline = performance.now() + config.drainMs;
      while (host.seats().used > 0 && performance.now() < deadline) await delay(pollMs);
    },
    async leave() {
      await membership.leave(farewellMs);
      await side.close();
      await thread[Symbol.asyncDispose]();
    },
  };
}

/** The URL of the private server when no setting names one. */
export function privateUrlOf({ bind, tls }: Pick<HostClusterConfig, 'bind' | 'tls'>, port: number): string {
  const name = bind === '0.0.0.0' || bind === '::' ? os.hostname() : bind;
  return `${tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
