import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startPostgres } from '../fixtures/database/postgres.ts';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import { startWorldProxy } from '../fixtures/network/world-proxy.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import {
  type ClusterGateway,
  openClusterStore,
  startClusterGateway,
  startClusterHost,
} from '../fixtures/service/cluster.ts';
import { Random } from '../fuzz/random.ts';
import { checkKilledRecording, type KilledSession, type RecordingCheck } from './recording-kills-check.ts';

export interface RecordingKillsOptions {
  rounds: number;
  seed: number;
  onRound?(round: KilledRound): void;
}

export interface KilledRound extends Partial<RecordingCheck> {
  round: number;
  /** How long the page ran before its host was killed. */
  ranMs: number;
  failures: string[];
}

/** How long a page runs before its host is killed: long enough for something to be older than five seconds. */
const runsMs = { min: 6000, max: 14_000 };

/** Counts up: on its console, in what it shows, and to its server, which is the witness. */
const page = `<!doctype html><title>Ticks</title><h1 id="shown">none</h1><script>
  let ticks = 0;
  setInterval(() => {
    console.log('tick ' + ticks + ' ' + Date.now());
    shown.textContent = ticks;
    fetch('/tick/' + ticks).catch(() => {});
    ticks += 1;
  }, 100);
</script>`;

/**
 * Records sessions on hosts that are killed at random moments, one after the other, and compares each recording with
 * what the page's server has seen. One gateway, on PostgreSQL, keeps the recordings in a directory.
 */
export async function recordingKills({
  rounds,
  seed,
  onRound,
}: RecordingKillsOptions): Promise<KilledRound[]> {
  await using parts = new AsyncDisposableStack();
  const sites = new Map<string, number[]>();
  const world = parts.use(
    await startWorldProxy(({ host, path }, response) => {
      const tick = /^\/tick\/(\d+)$/.exec(path)?.[1];
      if (tick !== undefined) (sites.get(host) ?? [])[Number(tick)] = Date.now();
      response.setHeader('content-type', 'text/html');
      response.end(path === '/' ? page : '');
    }),
  );
  const postgres = parts.use(await startPostgres());
  const directory = parts.use(await scratchDirectory('recordings'));
  const databaseUrl = await postgres.createDatabase();
  const gateway = parts.use(
    await startClusterGateway(databaseUrl, { TURNPIKE_RECORDINGS_URL: `file:${directory.path}/kept` }),
  );
  const store = parts.use(await openClusterStore(databaseUrl));
  const key = await store.account({ concurrent_limit: null });
  const random = new Random(seed);
  const done: Promise<KilledRound>[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const ranMs = runsMs.min + random.below(runsMs.max - runsMs.min);
    const host = `ticks-${round}.test`;
    const seenAt: number[] = [];
    sites.set(host, seenAt);
    const check = async (session: Promise<KilledSession>): Promise<KilledRound> => {
      const checked = await session
        .then((killed) => checkKilledRecording({ gatewayUrl: gateway.url, key, directory }, killed))
        .catch((error: Error) => ({ failures: [error.message] }));
      const result = { round, ranMs, ...checked };
      onRound?.(result);
      return result;
    };
    const session = recordAndKill({ gateway, key, proxy: world.url, name: `host-${round}`, host, ranMs });
    // A recording is ready more than a minute after the loss of its host. The next rounds go on meanwhile.
    done.push(check(session.then((killed) => ({ ...killed, seenAt }))));
    await session.catch(() => {});
  }
  // Awaited here: the parts are needed until the last check.
  return await Promise.all(done);
}

interface KillOptions {
  gateway: ClusterGateway;
  key: string;
  proxy: string;
  /** The name of the host, and its region, so that the session is opened there. */
  name: string;
  /** The site of the page. */
  host: string;
  ranMs: number;
}

/** Starts a host, records a session on it, and kills it. */
async function recordAndKill({
  gateway,
  key,
  proxy,
  name,
  host,
  ranMs,
}: KillOptions): Promise<Omit<KilledSession, 'seenAt'>> {
  await using running = await startClusterHost(name, [gateway], { TURNPIKE_HOST_REGION: name });
  const account = accountCalls(gateway.url, key, proxy);
  const opened = await account.create({ record: true, headless: true, region: name, wait: 60 });
  if (opened.status !== 200) throw new Error(`The create returned ${opened.text}`);
  const browser = await chromium.connectOverCDP(opened.json.cdpUrl);
  const tab = browser.contexts()[0]?.pages()[0];
  await tab?.goto(`http://${host}/`);
  await tab?.waitForFunction('ticks > 0');
  await delay(ranMs);
  const killedAt = Date.now();
  await running.kill();
  await browser.close();
  return { sessionId: opened.json.browserId, killedAt };
}
