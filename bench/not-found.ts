import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { accountCalls } from '../tests/fixtures/gateway/gateway.ts';
import { startService } from '../tests/fixtures/service/service.ts';
import { inTurns, median } from './measure.ts';
import { publish } from './table.ts';

/** Measures whether the time of a 404 on the host's public port reveals that an id belonged to a session. */

const rounds = 40;
const requests = 100;

await using service = await startService();
const { connect, close } = accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl);
const { text, headers } = await connect({ headless: 'true' });
const endedId = new URL(text).pathname.split('/')[2] ?? '';
await close(headers.get('x-session-id') ?? '');

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const base = service.hostUrl.replace(/^ws/, 'http');
const ids = {
  ended: endedId,
  'never existed': `br_${randomBytes((endedId.length - 3) / 2).toString('hex')}`,
  malformed: randomBytes(endedId.length).toString('base64url').slice(0, endedId.length),
};

/** Median microseconds of a request. */
async function answerTime(id: string): Promise<number> {
  const url = `${base}/cdp/${id}/json/version`;
  const times: number[] = [];
  for (let i = 0; i < requests; i++) {
    const startedAt = performance.now();
    await new Promise<void>((resolve, reject) => {
      const sent = request(url, { agent }, (response) => {
        if (response.statusCode !== 404) reject(new Error(`${response.statusCode}`));
        response.resume().once('end', resolve);
      });
      sent.once('error', reject).end();
    });
    times.push((performance.now() - startedAt) * 1000);
  }
  return median(times);
}

await answerTime(ids.ended); // Both sides warm up.
const results = await inTurns(rounds, {
  ended: () => answerTime(ids.ended),
  'never existed': () => answerTime(ids['never existed']),
  malformed: () => answerTime(ids.malformed),
});
agent.destroy();
const spread = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 4)]?.toFixed(0)} to ${sorted[Math.floor((sorted.length * 3) / 4)]?.toFixed(0)}`;
};
await publish(
  'not-found',
  'Time of a 404 by the requested id, in microseconds',
  ['id', 'median', 'middle half of the rounds'],
  Object.entries(results).map(([name, values]) => [name, median(values).toFixed(0), spread(values)]),
  `${rounds} rounds of ${requests} requests each, interleaved, on one connection.`,
);
