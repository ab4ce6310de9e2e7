import type { ClusterSettings } from '@turnpike/cluster/cluster-settings';
import { type PrivateAnswer, type PrivateCall, PrivateServer } from '@turnpike/cluster/private-server';
import { isProxyQuestion, maxProxyCallBytes, proxyCall } from '@turnpike/cluster/proxy-calls';
import {
  chunkCall,
  decodeChunk,
  maxChunkCallBytes,
  RepeatChunkError,
} from '@turnpike/cluster/recording-calls';
import { Heartbeat } from '@turnpike/contract/host/heartbeat';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { Compile } from 'typebox/compile';
import { isStoreOutage } from '../store/outage.ts';
import type { HostContext } from './host-context.ts';
import { recordHeartbeat } from './record-heartbeat.ts';

const heartbeat = Compile(Heartbeat);
/** Enough for ten thousand sessions. */
const maxHeartbeatBytes = 4 * 2 ** 20;

/** Serves hosts on other machines: their heartbeats, their recordings and their questions about proxies, and nothing else. */
export function createPrivateSide(context: HostContext, settings: ClusterSettings): PrivateServer {
  return new PrivateServer({
    ...settings,
    logger: context.logger,
    maxBodyBytes: maxChunkCallBytes,
    answer: async (call) => {
      const serve = calls[call.path];
      if (!serve) return answer(404, { message: `There is no call ${call.path}.` });
      try {
        return await serve(context, call);
      } catch (error) {
        if (error instanceof RepeatChunkError) return answer(503, { message: error.message });
        if (!isStoreOutage(error)) throw error;
        return answer(503, { message: 'The store is unavailable.' });
      }
    },
  });
}

const calls: Readonly<Record<string, (context: HostContext, call: PrivateCall) => Promise<PrivateAnswer>>> = {
  '/internal/hosts/heartbeat': async (context, { body }) => {
    const beat = body.length > maxHeartbeatBytes ? undefined : parseBoundedJson(body.toString());
    if (!heartbeat.Check(beat)) return answer(400, { message: 'The body is not a heartbeat.' });
    return answer(200, await recordHeartbeat(context, beat));
  },
  [`/${chunkCall}`]: async ({ recordingSink }, { body, signal }) => {
    const chunk = decodeChunk(body);
    if (!chunk) return answer(400, { message: 'The body is not a part of a recording.' });
    return answer(200, { result: await recordingSink.append(chunk, signal) });
  },
  [`/${proxyCall}`]: async ({ resolveProxy }, { body, signal }) => {
    const question = body.length > maxProxyCallBytes ? undefined : parseBoundedJson(body.toString());
    if (!isProxyQuestion(question))
      return answer(400, { message: 'The body is not a question about a proxy.' });
    return answer(200, await resolveProxy(question, signal));
  },
};

const answer = (status: number, body: unknown): PrivateAnswer => ({ status, body: JSON.stringify(body) });
