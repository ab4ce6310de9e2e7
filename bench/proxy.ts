import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scratchDirectory } from '../tests/fixtures/process/scratch-directory.ts';
import { inTurns, median } from './measure.ts';
import { largeBytes } from './proxy-parts/proxy-process.ts';
import {
  type BenchProxy,
  processorSeconds,
  startBenchSquid,
  startNode,
  startTarget,
} from './proxy-parts/proxy-servers.ts';
import { publish, tableOf } from './table.ts';

/**
 * Compares the metered proxy and the host's forwarder with Squid and proxy-chain. The load comes from `ab`, `wrk` and
 * `curl`, and the target is nginx; `scripts/setup --dev` installs them. Arguments choose some of the measures and
 * proxies (`node bench/proxy.ts 'a tunnel' Squid forwarder`); then nothing is published. `BENCH_NODE_OPTIONS` has
 * further options for Node's processes, such as `--cpu-prof`.
 */

const rounds = 3;
/** Long enough for the round before those that count to have Node compile what is used. */
const loadSeconds = 3;
const connections = 32;
const run = promisify(execFile);

/** A proxy, or two of the same kind where plain requests and tunnels need different upstream proxies. */
interface Contestant {
  plain: BenchProxy;
  tunnel: BenchProxy;
}
type Contestants = ReadonlyMap<string, Contestant>;

interface Urls {
  small: string;
  large: string;
}

interface Measure {
  name: string;
  unit: 'request' | 'MB';
  way: keyof Contestant;
  measure(proxy: BenchProxy, urls: Urls): Promise<{ rate: number; amount: number }>;
}

const measures: Measure[] = [
  { name: 'new connections', unit: 'request', way: 'plain', measure: newConnections },
  { name: 'kept-alive connections', unit: 'request', way: 'plain', measure: keptAlive },
  { name: 'a tunnel', unit: 'MB', way: 'tunnel', measure: throughTunnel },
  { name: 'a plain transfer', unit: 'MB', way: 'plain', measure: transfer },
];

await main(process.argv.slice(2));

async function main(chosen: string[]): Promise<void> {
  await using undo = new AsyncDisposableStack();
  const target = undo.use(await startTarget());
  const origin = `http://127.0.0.1:${target.port}`;
  const urls = { small: `${origin}/small`, large: `${origin}/large` };
  const contestants = await startContestants(undo, target.port, chosen);
  const rates: string[][] = [];
  const costs: string[][] = [];
  for (const each of choose(measures, ({ name }) => name, chosen)) {
    const { rate, cost } = await compare(each, contestants, urls);
    rates.push([`${each.name}, ${each.unit}s a second`, ...rate]);
    costs.push([`${each.name}, µs for a ${each.unit}`, ...cost]);
    console.log(rates.at(-1)?.join(' | '), '\n', costs.at(-1)?.join(' | '));
  }
  if (chosen.length > 0) return;
  const head = ['', ...contestants.keys()];
  const notes = [
    `Medians of ${rounds} rounds, interleaved. Some connect to the target (nginx). The forwarder and those with an upstream connect to an upstream proxy: nginx for plain requests, and for tunnels a server that is the target as well. Requests are for 1 KB on ${connections} connections: new ones with \`ab\`, kept-alive ones with \`wrk\`, ${loadSeconds} s each. Transfers are of 1 GiB, with \`curl\`. Each server has a process of its own.`,
    'Squid has no cache, log or login. Squid and proxy-chain keep connections to targets and use them for all clients. The metered proxy does so for clients of one account, the forwarder for one session. "Not sharing" is without it.',
    `The metered proxy and the forwarder metered ${await meteredBytes(contestants)} bytes in this run.`,
    'Processor time of the proxy alone:',
    tableOf(head, costs),
  ];
  await publish('proxy', 'The metered proxy and the forwarder', head, rates, notes.join('\n\n'));
}

/** Those that are named, or all where none is. */
function choose<Item>(items: readonly Item[], nameOf: (item: Item) => string, chosen: string[]): Item[] {
  const named = items.filter((item) => chosen.includes(nameOf(item)));
  return named.length > 0 ? named : [...items];
}

async function startContestants(
  undo: AsyncDisposableStack,
  targetPort: number,
  chosen: string[],
): Promise<Contestants> {
  const endless = undo.use(await startNode('endless'));
  const alone = (start: () => Promise<BenchProxy>) => async (): Promise<Contestant> => {
    const proxy = undo.use(await start());
    return { plain: proxy, tunnel: proxy };
  };
  const forwarding = (start: (port: number) => Promise<BenchProxy>) => async (): Promise<Contestant> => ({
    plain: undo.use(await start(targetPort)),
    tunnel: undo.use(await start(endless.port)),
  });
  const kinds: Record<string, () => Promise<Contestant>> = {
    'metered proxy': alone(() => startNode('metered')),
    'proxy-chain': alone(() => startNode('proxy-chain')),
    'proxy-chain, not sharing': alone(() => startNode('proxy-chain-not-sharing')),
    Squid: alone(() => startBenchSquid()),
    'Squid, not sharing': alone(() => startBenchSquid({ sharesTargets: false })),
    forwarder: forwarding((port) => startNode('forwarder', port)),
    'proxy-chain, upstream': forwarding((port) => startNode('proxy-chain', port)),
    'Squid, upstream': forwarding((parentPort) => startBenchSquid({ parentPort })),
  };
  const contestants = new Map<string, Contestant>();
  for (const [name, start] of choose(Object.entries(kinds), ([name]) => name, chosen)) {
    contestants.set(name, await start());
  }
  return contestants;
}

/** Measures all contestants in turns. Returns what each did in a second, and the processor time that it took for it. */
async function compare(
  { unit, way, measure }: Measure,
  contestants: Contestants,
  urls: Urls,
): Promise<{ rate: string[]; cost: string[] }> {
  const costs = new Map<string, number[]>([...contestants.keys()].map((name) => [name, []]));
  // For one transfer it makes no difference whether connections are shared.
  const measured = [...contestants].filter(([name]) => unit === 'request' || !name.endsWith('not sharing'));
  const turns = measured.map(([name, { [way]: proxy }]) => {
    const turn = async () => {
      const before = await processorSeconds(proxy.pid);
      const { rate, amount } = await measure(proxy, urls);
      costs.get(name)?.push((((await processorSeconds(proxy.pid)) - before) / amount) * 1e6);
      return rate;
    };
    return [name, turn] as const;
  });
  const rates = await inTurns(rounds, Object.fromEntries(turns));
  const shown = (values: number[] = []) =>
    values.length > 0 ? Math.round(median(values)).toLocaleString('en') : '';
  return {
    rate: [...contestants.keys()].map((name) => shown(rates[name])),
    cost: [...contestants.keys()].map((name) => shown(costs.get(name))),
  };
}

/** Checks that metering was on, and returns the sum. */
async function meteredBytes(contestants: Contestants): Promise<string> {
  let sum = 0;
  for (const name of ['metered proxy', 'forwarder']) {
    const { plain, tunnel } = contestants.get(name) ?? {};
    for (const proxy of new Set([plain, tunnel])) {
      const bytes = (await proxy?.metered()) ?? 0;
      if (bytes < largeBytes) throw new Error(`${name} metered ${bytes} bytes`);
      sum += bytes;
    }
  }
  return sum.toLocaleString('en');
}

async function newConnections({ port, user, password }: BenchProxy, { small }: Urls) {
  const args = ['-q', '-t', `${loadSeconds}`, '-n', '10000000', '-c', `${connections}`];
  const { stdout } = await run('ab', [
    ...args,
    '-X',
    `127.0.0.1:${port}`,
    '-P',
    `${user}:${password}`,
    small,
  ]);
  const failed = numberIn(stdout, /(?:Failed requests|Non-2xx responses): +(\d+)/g);
  if (failed > 0) throw new Error(`ab: ${failed} requests failed\n${stdout}`);
  return {
    rate: numberIn(stdout, /Requests per second: +([\d.]+)/g),
    amount: numberIn(stdout, /Complete requests: +(\d+)/g),
  };
}

async function keptAlive({ port, user, password }: BenchProxy, { small }: Urls) {
  await using directory = await scratchDirectory('turnpike-bench-wrk');
  const script = join(directory.path, 'request.lua');
  const headers = `{Host = "${new URL(small).host}", ["Proxy-Authorization"] = "Basic ${btoa(`${user}:${password}`)}"}`;
  await writeFile(
    script,
    `function init() text = wrk.format("GET", "${small}", ${headers}) end\nfunction request() return text end\n`,
  );
  const args = ['-t', '1', '-c', `${connections}`, '-d', `${loadSeconds}s`, '-s', script];
  const { stdout } = await run('wrk', [...args, `http://127.0.0.1:${port}`]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk: requests failed\n${stdout}`);
  return {
    rate: numberIn(stdout, /Requests\/sec: +([\d.]+)/g),
    amount: numberIn(stdout, /(\d+) requests in /g),
  };
}

function throughTunnel(proxy: BenchProxy, urls: Urls) {
  return transfer(proxy, urls, ['--proxytunnel']);
}

async function transfer({ port, user, password }: BenchProxy, { large }: Urls, options: string[] = []) {
  const proxy = `http://${user}:${password}@127.0.0.1:${port}`;
  const args = ['-sS', '--max-time', '120', '-o', '/dev/null', '-w', '%{size_download} %{speed_download}'];
  const { stdout } = await run('curl', [...args, '-x', proxy, ...options, large]);
  const [size, speed] = stdout.split(' ').map(Number);
  if (size !== largeBytes) throw new Error(`curl had ${size} bytes`);
  return { rate: (speed ?? 0) / 1e6, amount: largeBytes / 1e6 };
}

/** The sum of the numbers that a pattern finds in a tool's output. */
function numberIn(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((sum, [, digits]) => sum + Number(digits), 0);
}
