import { Agent, request } from 'node:http';
import type { Request } from 'autocannon';

export interface Held {
  perSecond: number;
  p50: number;
  p99: number;
  /** Unexpected responses, from a server that cannot keep up with the rate. */
  failed: number;
}

export interface HeldTarget {
  urls: readonly string[];
  requests: readonly Request[];
  expected: number;
}

const maxConnections = 64;

/**
 * Sends requests at a fixed rate, no matter how fast the responses are. Measures the milliseconds from the time each
 * request was due to its response, including the wait for a connection.
 */
export async function holdRate(
  { urls, requests, expected }: HeldTarget,
  perSecond: number,
  seconds: number,
): Promise<Held> {
  const agent = new Agent({ keepAlive: true, maxSockets: Math.ceil(maxConnections / urls.length) });
  const total = perSecond * seconds;
  const answers: Promise<number | undefined>[] = [];
  const startedAt = performance.now();
  while (answers.length < total) {
    const due = Math.min(total, ((performance.now() - startedAt) / 1000) * perSecond);
    while (answers.length < due) {
      const number = answers.length;
      const dueAt = startedAt + (number * 1000) / perSecond;
      const asked = requests[number % requests.length] ?? {};
      answers.push(ask(agent, urls[number % urls.length] ?? '', asked, expected, dueAt));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const latencies = (await Promise.all(answers)).filter((ms) => ms !== undefined).sort((a, b) => a - b);
  agent.destroy();
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return { perSecond, p50: at(0.5), p99: at(0.99), failed: total - latencies.length };
}

function ask(
  agent: Agent,
  url: string,
  asked: Request,
  expected: number,
  dueAt: number,
): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const { path = '/', method = 'GET', headers = {}, body } = asked;
  const outgoing = request(
    `${url}${path}`,
    { agent, method, headers: headers as Record<string, string> },
    (answer) => {
      const isExpected = answer.statusCode === expected;
      answer.resume().on('end', () => resolve(isExpected ? performance.now() - dueAt : undefined));
    },
  );
  outgoing.on('error', () => resolve(undefined));
  outgoing.end(body);
  return promise;
}
