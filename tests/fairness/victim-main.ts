import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import { Cdp } from './cdp.ts';

/** How long something took, from when on. */
export interface Sample {
  kind: 'health' | 'cdp' | 'create' | 'direct' | 'idle' | 'failure';
  at: number;
  ms: number;
}

export interface VictimOptions {
  gatewayUrl: string;
  key: string;
  proxy: string;
  cdpUrl: string;
}

/** What a process of this program watches: a tenant, the machine, or a browser beside the service. */
export type Watched = VictimOptions | 'machine' | { directUrl: string };

const pauseMs = 10;
/** Longer than any stall that was seen. */
const patienceMs = 300_000;
const createEveryMs = 20_000;

/** A tenant beside the attacker: asks `/health` and its browser in a loop, and opens a session now and then. */
async function watch({ gatewayUrl, key, proxy, cdpUrl }: VictimOptions): Promise<void> {
  const account = accountCalls(gatewayUrl, key, proxy);
  const agent = new http.Agent({ keepAlive: true });
  const cdp = await (await Cdp.connect(cdpUrl, patienceMs)).open();
  const health = async () => {
    const asked = http.get(`${gatewayUrl}/health`, { agent });
    const [answer] = await once(asked, 'response');
    await once(answer.resume(), 'end');
  };
  void repeat('cdp', async () => {
    if ((await cdp.evaluate('1')) !== 1) throw new Error('no answer');
  });
  void repeat(
    'create',
    async () => {
      const { json } = await account.create({ headless: true });
      await account.close(json.browserId);
    },
    createEveryMs,
  );
  await repeat('health', health);
}

/** Measures how late this process gets its own processor time: what is not the service's doing. */
function watchMachine(): void {
  void repeat('idle', () => delay(1), 9);
}

/** Asks a browser that the service has nothing to do with. */
async function watchDirect(url: string): Promise<void> {
  const cdp = await (await Cdp.connect(url, patienceMs)).open();
  await repeat('direct', () => cdp.evaluate('1'));
}

async function repeat(kind: Sample['kind'], work: () => Promise<unknown>, everyMs = pauseMs): Promise<never> {
  for (;;) {
    const [at, began] = [Date.now(), performance.now()];
    const isDone = await work().then(
      () => true,
      () => false,
    );
    process.send?.({ kind: isDone ? kind : 'failure', at, ms: performance.now() - began } satisfies Sample);
    await delay(everyMs);
  }
}

process.on('disconnect', () => process.exit());
process.on('message', (what: Watched) => {
  if (what === 'machine') watchMachine();
  else if ('directUrl' in what) void watchDirect(what.directUrl);
  else void watch(what);
});
