import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';

interface Answer {
  id?: number;
  result?: any;
  error?: { message: string };
}

/** A client that asks its browser and its page things, one after the other, until it is told to stop. */
export interface SteadyClient {
  /** Resolves after so many more answers. */
  answers(count: number): Promise<void>;
  /** Rejects at the first error or the first answer that is not right; resolves to the delays seen. */
  stop(): Promise<Delays>;
}

export interface Delays {
  asked: number;
  medianMs: number;
  worstMs: number;
}

/** Asks the browser, a page's script, and a server through the proxy. */
export async function startSteadyClient(
  url: string,
  origin: string,
  { patienceMs = 20_000, pauseMs = 0 } = {},
): Promise<SteadyClient> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.on('error', () => {}); // Also when nobody waits for it any more; a close follows.
  await once(socket, 'open', { signal: AbortSignal.timeout(patienceMs) });
  const ask = asker(socket, patienceMs);
  const { targetId } = await ask('Target.createTarget', { url: `${origin}/` });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const evaluate = async (expression: string) =>
    (await ask('Runtime.evaluate', { expression, awaitPromise: true }, sessionId)).result.value;
  const deadline = performance.now() + patienceMs;
  while ((await evaluate('document.readyState + location.origin')) !== `complete${origin}`) {
    if (performance.now() > deadline) throw new Error('the page does not load');
  }
  const questions = [
    async () => /^Chrome/.test((await ask('Browser.getVersion')).product),
    async () => (await evaluate('6 * 7')) === 42,
    async () => (await evaluate(`fetch('${origin}/bytes/3').then((r) => r.text())`)) === 'xxx',
  ];
  const delays: number[] = [];
  let stopped = false;
  const asking = (async () => {
    for (let turn = 0; !stopped; turn += 1) {
      const startedAt = performance.now();
      if (!(await questions[turn % questions.length]?.())) throw new Error('a wrong answer');
      delays.push(performance.now() - startedAt);
      if (pauseMs > 0) await delay(pauseMs);
    }
  })();
  asking.catch(() => {});
  return {
    async answers(count) {
      const enough = delays.length + count;
      while (delays.length < enough) await Promise.race([asking, once(socket, 'message')]);
    },
    async stop() {
      stopped = true;
      await asking;
      socket.terminate();
      return summary(delays);
    },
  };
}

/** Sends a command and resolves to its result. */
export function asker(socket: WebSocket, patienceMs: number) {
  const pending = new Map<number, PromiseWithResolvers<any>>();
  let lastId = 0;
  socket.on('message', (data) => {
    const { id = 0, result, error } = JSON.parse(String(data)) as Answer;
    if (error) pending.get(id)?.reject(new Error(error.message));
    else pending.get(id)?.resolve(result);
    pending.delete(id);
  });
  socket.on('close', (code) => {
    for (const { reject } of pending.values()) reject(new Error(`closed with ${code}`));
  });
  return (method: string, params: object = {}, sessionId?: string): Promise<any> => {
    lastId += 1;
    const answer = Promise.withResolvers<any>();
    pending.set(lastId, answer);
    socket.send(JSON.stringify({ id: lastId, method, params, sessionId }));
    const timer = setTimeout(() => answer.reject(new Error(`${method}: no answer`)), patienceMs);
    return answer.promise.finally(() => clearTimeout(timer));
  };
}

function summary(delays: readonly number[]): Delays {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round((sorted[Math.floor((sorted.length - 1) * part)] ?? 0) * 10) / 10;
  return { asked: sorted.length, medianMs: at(0.5), worstMs: at(1) };
}
