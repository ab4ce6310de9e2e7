import { accountCalls } from '../tests/fixtures/gateway.ts';
import { startService } from '../tests/fixtures/service.ts';
import { CdpClient } from './cdp-client.ts';
import { startDirectChromium } from './direct-chromium.ts';
import { inTurns, median } from './measure.ts';
import { publish } from './table.ts';

/** CDP through the relay, the sandbox on, against a direct WebSocket to the same Chromium, in turns. */

const rounds = Number(process.argv[2] ?? 9);
const roundMs = 700;

interface Way {
  name: string;
  client: CdpClient;
}

/** Round trips a second with so many in flight. */
async function roundTrips({ client }: Way, inFlight: number): Promise<number> {
  const end = performance.now() + roundMs;
  const started = performance.now();
  let count = 0;
  const loop = async () => {
    while (performance.now() < end) {
      await client.call('Runtime.evaluate', { expression: '1' });
      count++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return (count * 1000) / (performance.now() - started);
}

/** Mebibytes a second of large answers. */
async function throughput({ client }: Way): Promise<number> {
  const end = performance.now() + roundMs;
  const started = performance.now();
  let bytes = 0;
  while (performance.now() < end) {
    bytes += (
      await client.call('Runtime.evaluate', { expression: '"x".repeat(1048576)', returnByValue: true })
    ).length;
  }
  return (bytes / 2 ** 20) * (1000 / (performance.now() - started));
}

await using direct = await startDirectChromium();
await using service = await startService();
const { text } = await accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl).connect({
  headless: 'true',
});
await using directClient = await CdpClient.toNewPage(direct.url);
await using relayClient = await CdpClient.toNewPage(text);
const ways: Way[] = [
  { name: 'direct', client: directClient },
  { name: 'relay', client: relayClient },
];
const measures = {
  'round trips/s, 1 in flight': (way: Way) => roundTrips(way, 1),
  'round trips/s, 32 in flight': (way: Way) => roundTrips(way, 32),
  'MiB/s of 1 MiB answers': throughput,
};
const rows: (string | number)[][] = [];
for (const [name, measure] of Object.entries(measures)) {
  const [direct, relay] = ways;
  if (!direct || !relay) break;
  const results = await inTurns(rounds, { direct: () => measure(direct), relay: () => measure(relay) });
  const [d, r] = [median(results.direct), median(results.relay)];
  rows.push([name, d.toFixed(0), r.toFixed(0), `${Math.round((r / d) * 100)}%`]);
}
await publish(
  'relay',
  'CDP through the relay, in the sandbox, against a direct connection',
  ['', 'direct', 'relay', 'ratio'],
  rows,
  `Medians of ${rounds} rounds of ${roundMs} ms, in turns.`,
);
