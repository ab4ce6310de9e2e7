import { Heartbeat } from '@turnpike/contract/heartbeat';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import type { ClusterSettings } from '@turnpike/process/cluster/cluster-settings';
import { type PrivateAnswer, PrivateServer } from '@turnpike/process/cluster/private-server';
import { Compile } from 'typebox/compile';
import type { Gateway } from '../gateway.ts';
import { isStoreOutage } from '../store/outage.ts';
import { recordHeartbeat } from './record-heartbeat.ts';

const heartbeat = Compile(Heartbeat);

/** Where hosts of other machines call: their heartbeats, and nothing else. */
export function createPrivateSide(gateway: Gateway, settings: ClusterSettings): PrivateServer {
  return new PrivateServer({
    ...settings,
    logger: gateway.logger,
    answer: async ({ path, body }) => {
      if (path !== '/internal/hosts/heartbeat') return answer(404, { message: `no such call: ${path}` });
      const beat = parseBoundedJson(body.toString());
      if (!heartbeat.Check(beat)) return answer(400, { message: 'not a heartbeat' });
      try {
        return answer(200, await recordHeartbeat(gateway, beat));
      } catch (error) {
        if (!isStoreOutage(error)) throw error;
        return answer(503, { message: 'the store is away' });
      }
    },
  });
}

const answer = (status: number, body: unknown): PrivateAnswer => ({ status, body: JSON.stringify(body) });
