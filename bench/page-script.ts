import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pageScript } from '../apps/host/src/profile/page-script/page-script.ts';
import { type Profile, planDevice } from '../apps/host/src/profile/profile.ts';
import { listen } from '../tests/fixtures/network/listen.ts';
import { CdpClient } from './cdp-client.ts';
import { startDirectChromium } from './direct-chromium.ts';
import { inTurns, median, percentile95 } from './measure.ts';

/**
 * Measures what the page script costs: to send it to a new page, and to run it in a document. The first document of a
 * renderer compiles it; later ones find it in V8's cache.
 *
 *     node bench/page-script.ts [rounds]
 */

const rounds = Number(process.argv[2] ?? 30);
const params = { os: 'windows', headless: true, vnc: false, forceVisibility: false } as const;
const machine = { chromiumVersion: '156.0.0.0', memory: 8 };
const place = { languages: ['en-US'], locale: 'en-US', timeZone: 'UTC', country: undefined };
const profile: Profile = { ...planDevice(params, machine), ...place };
const script = pageScript({ ...profile, machineMemory: profile.device.memory }, 'page');
const scripts = { 'no script': '', 'without the blanks': script.replaceAll(/ {999,}/g, ''), script };

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>page</title>');
});
const port = await listen(server);
await using chromium = await startDirectChromium();
let site = 0;

interface Costs {
  send: number;
  first: number;
  later: number;
}

/** Opens a page of a new site, which gets a new renderer, and loads it three times. */
async function costsOf(source: string): Promise<Costs> {
  await using page = await CdpClient.toNewPage(chromium.url);
  const value = async (expression: string) =>
    JSON.parse(String(await page.call('Runtime.evaluate', { expression }))).result.result.value;
  await page.call('Page.enable', {});
  await page.call('Page.addScriptToEvaluateOnNewDocument', { source: 'const began = performance.now()' });
  const began = performance.now();
  await page.call('Page.addScriptToEvaluateOnNewDocument', { source });
  const send = performance.now() - began;
  await page.call('Page.addScriptToEvaluateOnNewDocument', {
    source: 'const ran = performance.now() - began',
  });
  site += 1;
  const ran: number[] = [];
  for (let load = 0; load < 3; load++) {
    await page.call('Page.navigate', { url: `http://site${site}.localhost:${port}/?${load}` });
    ran.push(await value('ran'));
  }
  await page.call('Page.close', {});
  return { send, first: ran[0] ?? Number.NaN, later: Math.min(...ran.slice(1)) };
}

const costs = Object.fromEntries(Object.keys(scripts).map((name) => [name, [] as Costs[]]));
const measurements = Object.fromEntries(
  Object.entries(scripts).map(([name, source]) => [
    name,
    async () => {
      const cost = await costsOf(source);
      costs[name]?.push(cost);
      return cost.first;
    },
  ]),
);
await inTurns(rounds, measurements);
server.close();

const row = (name: string, source: string) => {
  const of = (key: keyof Costs) => (costs[name] ?? []).map((cost) => cost[key]);
  const figures = [median(of('send')), median(of('first')), percentile95(of('first')), median(of('later'))];
  return `| ${name} | ${source.length} | ${figures.map((figure) => figure.toFixed(2)).join(' | ')} |`;
};
const text = `# The page script

What it costs, in milliseconds (${rounds} rounds in turns, on ${cpus().length} cores): to send it to a page, to run it in the
first document of a renderer, and in a later one.

| | characters | send | first document | 95th | later documents |
|---|---|---|---|---|---|
${Object.entries(scripts)
  .map(([name, source]) => row(name, source))
  .join('\n')}

\`node bench/page-script.ts\`
`;
console.info(text);
await writeFile(join(import.meta.dirname, 'results/page-script.md'), text);
