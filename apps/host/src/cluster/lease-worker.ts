import { parentPort, workerData } from 'node:worker_threads';
import { PrivateClient } from '@turnpike/cluster/private-client';
import type { Heartbeat, HeartbeatAnswer } from '@turnpike/contract/host/heartbeat';
import { BeatRepeater } from './beat-repeater.ts';
import type { FromLeaseThread, LeaseThreadData } from './lease-thread.ts';

/** The lease thread: it signs and sends heartbeats, and does nothing that a tenant could hold up. */

const { secret, tls, gatewayUrls, heartbeatMs, leaseMs, minTryMs } = workerData as LeaseThreadData;
/** Two rounds over all gateways must fit into a lease. */
const beatMs = leaseMs / 2;
const client = new PrivateClient({ secret, tls: tls && buffers(tls) });
const post = (message: FromLeaseThread) => parentPort?.postMessage(message);

let order = [...gatewayUrls];
let repeats = 0;

const repeater = new BeatRepeater({
  heartbeatMs,
  leaseMs,
  send,
  onRepeated: (answer, sentAt) => {
    repeats += 1;
    post({ repeated: answer, agoMs: performance.now() - sentAt, answeredAt: process.hrtime() });
  },
});

parentPort?.on('message', async (beat: Heartbeat) => {
  const repeated = repeats;
  repeats = 0;
  try {
    post({ answer: await repeater.deliver(beat), repeats: repeated });
  } catch (error) {
    post({ failure: reasonsOf(error), repeats: repeated });
  }
});

/** Sends to the gateway that answered last, and to the others when it fails. */
async function send(beat: Heartbeat, signal: AbortSignal): Promise<HeartbeatAnswer> {
  const failures: unknown[] = [];
  for (const url of order) {
    try {
      const inTime = AbortSignal.timeout(Math.max(minTryMs, Math.floor(beatMs / order.length)));
      const call = client.call(url, 'internal/hosts/heartbeat', beat, AbortSignal.any([inTime, signal]));
      const answer = (await call) as HeartbeatAnswer;
      order = [url, ...order.filter((other) => other !== url)];
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  throw new AggregateError(failures, 'No gateway answers');
}

/** Buffers arrive as plain bytes, which TLS does not take for PEM. */
function buffers(tls: NonNullable<LeaseThreadData['tls']>) {
  return { ca: Buffer.from(tls.ca), cert: Buffer.from(tls.cert), key: Buffer.from(tls.key) };
}

function reasonsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonsOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
