import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { newRequest } from '@turnpike/host/testing/test-host';
import { startSquid } from '../fixtures/network/squid.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { type HostProcess, startHostProcess } from '../isolation/host-process.ts';
import { groupsOfHost, pidsOf } from '../isolation/session-group.ts';
import { startSteadyClient } from '../isolation/steady-client.ts';

export interface SoakOptions {
  sessions: number;
  /** Concurrent sessions. */
  atOnce: number;
  /** Every nth session has a display; 0 means none. */
  headfulEvery: number;
  /** Warm browsers of each kind. */
  warm: number;
  maxMs: number;
  onSample?(sample: Sample): void;
}

/** The resources of a host without open sessions. */
export interface Sample {
  sessions: number;
  seconds: number;
  processes: number;
  descriptors: number;
  heapKiB: number;
  residentMiB: number;
  controlGroups: number;
  mounts: number;
  temporaryFiles: number;
}

export interface Soak {
  samples: Sample[];
  opened: number;
  /** Sessions that failed. */
  failures: string[];
}

const samplesInAll = 25;

/** Opens and closes sessions of every kind one after the other, and samples the host in between. */
export async function soak(options: SoakOptions): Promise<Soak> {
  await using parts = new AsyncDisposableStack();
  const web = parts.use(await startWebServer());
  const squid = parts.use(await startSquid());
  const warm = String(options.warm);
  const env = { TURNPIKE_HOST_WARM_HEADFUL: warm, TURNPIKE_HOST_WARM_HEADLESS: warm };
  const host = parts.use(await startHostProcess({ env, nodeOptions: ['--expose-gc'] }));
  const proxy = squid.upstream;
  // Each browser has a control group in each hierarchy.
  const waiting = 2 * options.warm * 3;
  const startedAt = performance.now();
  const result: Soak = { samples: [await takeSample(host, 0, startedAt)], opened: 0, failures: [] };
  const every = Math.max(options.atOnce, Math.ceil(options.sessions / samplesInAll));
  while (result.opened < options.sessions && performance.now() - startedAt < options.maxMs) {
    const batch = Math.min(every, options.sessions - result.opened);
    await inTurns(batch, options.atOnce, async (index) => {
      const number = result.opened + index;
      const headful = options.headfulEvery > 0 && number % options.headfulEvery === 0;
      await oneSession(host, { number, headless: !headful, proxy, origin: web.origin }).catch((error) =>
        result.failures.push(`session ${number}: ${(error as Error).message}`),
      );
    });
    result.opened += batch;
    // A close returns before the cleanup is done. Leftovers after the time limit appear in the sample.
    await until(() => groupsOfHost(host.pid).length <= waiting).catch(() => {});
    const sample = await takeSample(host, result.opened, startedAt);
    result.samples.push(sample);
    options.onSample?.(sample);
  }
  return result;
}

interface OneSession {
  number: number;
  headless: boolean;
  proxy: UpstreamProxy;
  origin: string;
}

/** Each session loads a page through the proxy. Some reconnect, some are killed, some fail to open. */
async function oneSession(host: HostProcess, { number, headless, proxy, origin }: OneSession): Promise<void> {
  if (number % 11 === 5) return failToOpen(host, newRequest({ ...proxy, port: 1 }, { headless }));
  const request = newRequest(proxy, { headless });
  const url = await host.open(request);
  for (let visit = 0; visit <= (number % 3 === 1 ? 1 : 0); visit += 1) {
    const client = await startSteadyClient(url, origin);
    await client.answers(3);
    await client.stop();
  }
  const ended = () => host.ended.some(({ sessionId }) => sessionId === request.sessionId);
  if (number % 7 === 3) await killBrowser(url);
  else if (!(await host.close(request.sessionId))) throw new Error('the session to close did not exist');
  await until(ended);
}

async function failToOpen(host: HostProcess, request: ReturnType<typeof newRequest>): Promise<void> {
  const code = await host.open(request).then(
    () => 'opened',
    (error) => error.code,
  );
  if (code !== 'PROXY_UNREACHABLE') throw new Error(`an open without a proxy was ${code}`);
}

/** Crashes the whole browser, as a client can. */
async function killBrowser(url: string): Promise<void> {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  socket.send('{"id":1,"method":"Browser.crash"}');
  const { code } = await closed;
  if (code !== 4002) throw new Error(`a crashed browser's socket was closed with ${code}`);
}

export async function takeSample(host: HostProcess, sessions: number, startedAt: number): Promise<Sample> {
  const heapBytes = await host.heapBytes();
  return {
    sessions,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    processes: pidsOf('', host.pid).length,
    descriptors: readdirSync(`/proc/${host.pid}/fd`).length,
    heapKiB: Math.round(heapBytes / 1024),
    residentMiB: host.residentMiB(),
    controlGroups: groupsOfHost(host.pid).length,
    mounts: readFileSync(`/proc/${host.pid}/mountinfo`, 'utf8').split('\n').length,
    temporaryFiles: readdirSync(tmpdir()).length,
  };
}

async function inTurns(count: number, atOnce: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await act(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export async function until(reached: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!reached()) {
    if (performance.now() > deadline) throw new Error('the end of the session was not reported');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
