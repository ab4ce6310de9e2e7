import { Heartbeat } from '@turnpike/contract/heartbeat';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import type { ClusterSettings } from '@turnpike/process/cluster/cluster-settings';
import { type PrivateAnswer, PrivateServer } from '@turnpike/process/cluster/private-server';
import { Compile } from 'typebox/compile';
import { isStoreOutage } from '../store/outage.ts';
import type { HostContext } from './host-context.ts';
import { recordHeartbeat } from './record-heartbeat.ts';

const heartbeat = Compile(Heartbeat);

/** Serves hosts on other machines: their heartbeats, and nothing else. */
export function createPrivateSide(context: HostContext, settings: ClusterSettings): PrivateServer {
  return new PrivateServer({
    ...settings,
    logger: context.logger,
    answer: async ({ path, body }) => {
      if (path !== '/internal/hosts/heartbeat') return answer(404, { message: `There is no call ${path}.` });
      const beat = parseBoundedJson(body.toString());
      if (!heartbeat.Check(beat)) return answer(400, { message: 'The body is not a heartbeat.' });
      try {
        return answer(200, await recordHeartbeat(context, beat));
      } catch (error) {
        if (!isStoreOutage(error)) throw error;
        return answer(503, { message: 'The store is unavailable.' });
      }
    },
  });
}

const answer = (status: number, body: unknown): PrivateAnswer => ({ status, body: JSON.stringify(body) });
