import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startSquid } from '../../tests/fixtures/network/squid.ts';
import { startService } from '../../tests/fixtures/service/service.ts';

/**
 * Runs Playwright's own page tests over `connect` and over `connectOverCDP`, and prints which end differently.
 * docs/protocols-conformance.md says how to use it.
 */
const [checkout = '', directory = '', ...files] = process.argv.slice(2);
const output = resolve(directory);

const ways = ['connect', 'connectOverCDP'] as const;
type Way = (typeof ways)[number];
/** How each test ended, by file, line and title. */
type Outcomes = Map<string, string>;

interface Suite {
  suites?: Suite[];
  specs?: { file: string; line: number; title: string; tests: { results: { status: string }[] }[] }[];
}

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort());

function* outcomesIn({ suites = [], specs = [] }: Suite): Generator<[string, string]> {
  for (const { file, line, title, tests } of specs) {
    const last = tests[0]?.results.at(-1)?.status ?? 'none';
    yield [`${file}:${line} ${title}`, last];
  }
  for (const suite of suites) yield* outcomesIn(suite);
}

async function run(way: Way, environment: Record<string, string>): Promise<Outcomes> {
  const config = join(checkout, `${way}.config.ts`);
  const report = join(output, `${way}.json`);
  // The machine may be busy: a test that fails is run once more.
  const settings = {
    testDir: join(checkout, 'tests/page'),
    outputDir: join(output, way),
    timeout: 60_000,
    retries: 1,
    workers: 1,
    reporter: [['json', { outputFile: report }], ['dot']],
    use: { browserName: 'chromium', channel: 'chromium', headless: true },
  };
  await writeFile(config, `export default ${JSON.stringify(settings)};\n`);
  const hook = join(import.meta.dirname, 'connect-instead.ts');
  const program = join(checkout, 'node_modules/@playwright/test/cli.js');
  const child = spawn(process.execPath, [program, 'test', '-c', config, ...files], {
    cwd: checkout,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${hook}`,
      ...environment,
      CONFORMANCE_WAY: way,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    signal: stopped.signal,
  });
  await once(child, 'exit');
  return new Map(outcomesIn(JSON.parse(await readFile(report, 'utf8')) as Suite));
}

await mkdir(output, { recursive: true });
await using squid = await startSquid();
await using service = await startService({ env: { TURNPIKE_PROXY_ALLOW: '127.0.0.1' } });
const account = await service.account({ concurrent_limit: 10, creates_per_minute: 1000 });
const body = { proxy: `http://${squid.url}`, headless: true, os: 'linux', close_on_disconnect: 1 };
const environment = {
  CONFORMANCE_URL: service.gatewayUrl,
  CONFORMANCE_KEY: account.key,
  CONFORMANCE_BODY: JSON.stringify(body),
};
const outcomes = { connect: new Map(), connectOverCDP: new Map() } as Record<Way, Outcomes>;
for (const way of ways) outcomes[way] = await run(way, environment);

const count = (way: Way, status: string) =>
  [...outcomes[way].values()].filter((one) => one === status).length;
for (const way of ways) {
  console.log(way, { passed: count(way, 'passed'), skipped: count(way, 'skipped'), all: outcomes[way].size });
}
for (const [test, connect] of outcomes.connect) {
  const overCdp = outcomes.connectOverCDP.get(test) ?? 'none';
  if (connect !== overCdp || !['passed', 'skipped'].includes(connect))
    console.log({ test, connect, overCdp });
}
