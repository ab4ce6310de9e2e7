import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { chromiumFlags } from '../../apps/host/src/chromium/flags.ts';
import { freePort } from '../../tests/fixtures/network/free-port.ts';
import { startDaemon } from '../../tests/fixtures/process/daemon.ts';
import { scratchDirectory } from '../../tests/fixtures/process/scratch-directory.ts';
import { type Service, startService } from '../../tests/fixtures/service/service.ts';
import { atStandardAddresses } from './standard-addresses.ts';
import { startWptSite, type WptSite } from './wpt-site.ts';

/**
 * Runs WebDriver's and BiDi's conformance tests through sessions and on ChromeDriver directly, and prints which tests
 * end differently. docs/protocols-conformance.md says how to use it.
 */
const [checkout = '', python = '', output = '', ...folders] = process.argv.slice(2);

const testSeconds = 60;

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopped.abort());

/** One way to the browser: a WebDriver server on a port of this machine. */
interface Way {
  name: string;
  port: number;
  capabilities: object;
}

/** Each WebDriver session is a session of its own, as ChromeDriver starts a browser for each. */
async function throughSessions(
  undo: AsyncDisposableStack,
  service: Service,
  { host, port: proxyPort }: UpstreamProxy,
): Promise<Way> {
  const account = await service.account({ concurrent_limit: 4, creates_per_minute: 1000 });
  const options = { key: account.key, proxy: `http://${host}:${proxyPort}`, headless: true, os: 'linux' };
  const { port } = undo.use(await atStandardAddresses(service.gatewayUrl));
  return { name: 'session', port, capabilities: { 'turnpike:options': options } };
}

/** ChromeDriver starts Chromium with the flags of a session. */
async function directly(undo: AsyncDisposableStack, { host, port: proxyPort }: UpstreamProxy): Promise<Way> {
  const start = { headless: true, os: 'linux' as const, userAgent: '', uiLanguage: undefined, pixelRatio: 1 };
  const own = /^--(remote-debugging|user-data-dir|proxy-server|user-agent)/;
  const flags = chromiumFlags(start).filter((flag) => flag.startsWith('--') && !own.test(flag));
  const scratch = undo.use(await scratchDirectory('conformance'));
  const port = await freePort();
  const args = [`TMPDIR=${scratch.path}`, `HOME=${scratch.path}`, 'chromedriver', `--port=${port}`];
  undo.use(await startDaemon('env', args, { cwd: scratch.path, ready: /started successfully/ }));
  // Without it, the browsers of an interrupted run would go on.
  undo.defer(async () => void (await fetch(`http://127.0.0.1:${port}/shutdown`).catch(() => {})));
  const options = {
    binary: '/usr/lib/chromium/chromium',
    args: [...flags, `--proxy-server=${host}:${proxyPort}`],
  };
  return { name: 'direct', port, capabilities: { 'goog:chromeOptions': options } };
}

type Outcomes = Map<string, string>;

/** Returns how each test ended. */
async function run(
  { name, port, capabilities }: Way,
  site: WptSite,
  tests: string[],
  log: string,
): Promise<Outcomes> {
  const config = `${output}/${name}.json`;
  const content = {
    host: '127.0.0.1',
    port,
    capabilities: { acceptInsecureCerts: true, ...capabilities },
    timeout_multiplier: 3,
    headless: true,
    target_platform: 'linux',
    webdriver: { binary: null, args: [] },
    wptserve: site.wptserve,
  };
  await writeFile(config, JSON.stringify(content));
  const options = '-v -rN --tb=short -W ignore -p no:cacheprovider -c tests/pytest.ini'.split(' ');
  const settings = ['python_files=*.py', 'asyncio_mode=auto'].flatMap((setting) => ['-o', setting]);
  const args = ['-m', 'pytest', ...options, ...settings, `--timeout=${testSeconds}`, ...tests];
  const path = `${output}/${log}.${name}.log`;
  await using file = await open(path, 'w');
  const child = spawn(python, args, {
    cwd: `${checkout}/webdriver`,
    env: {
      ...process.env,
      PYTHONPATH: ['tools/webdriver', 'webdriver', 'tools'].map((path) => `${checkout}/${path}`).join(':'),
      WDSPEC_CONFIG_FILE: config,
    },
    stdio: ['ignore', file.fd, 'inherit'],
    signal: stopped.signal,
  });
  await once(child, 'exit');
  const said = await readFile(path, 'utf8');
  const outcomes: Outcomes = new Map();
  for (const [, test = '', outcome = ''] of said.matchAll(/^(tests\/.+?) ([A-Z]+) +\[ *\d+%\]$/gm)) {
    const earlier = outcomes.get(test);
    outcomes.set(test, earlier === undefined ? outcome : `${earlier}, ${outcome}`);
  }
  return outcomes;
}

interface Difference {
  test: string;
  session: string;
  direct: string;
}

function compare(session: Outcomes, direct: Outcomes): Difference[] {
  const tests = [...new Set([...session.keys(), ...direct.keys()])];
  return tests
    .map((test) => ({ test, session: session.get(test) ?? 'none', direct: direct.get(test) ?? 'none' }))
    .filter((difference) => difference.session !== difference.direct);
}

async function both(
  service: Service,
  site: WptSite,
  tests: string[],
  log: string,
): Promise<[Outcomes, Outcomes]> {
  await using undo = new AsyncDisposableStack();
  const ways = [await throughSessions(undo, service, site.proxy), await directly(undo, site.proxy)];
  const [session, direct] = await Promise.all(ways.map((way) => run(way, site, tests, log)));
  return [session ?? new Map(), direct ?? new Map()];
}

await mkdir(output, { recursive: true });
await using site = await startWptSite(checkout, python, output);
await using service = await startService({ env: { TURNPIKE_PROXY_ALLOW: '127.0.0.1' } });
const every = () =>
  globSync(['classic/*/', 'bidi/*/', 'interop/'], { cwd: `${checkout}/webdriver/tests` }).toSorted();
for (const folder of folders.length > 0 ? folders : every()) {
  const log = folder.replaceAll('/', '-');
  const [session, direct] = await both(service, site, [`tests/${folder}`], log);
  const first = compare(session, direct);
  const tests = first.map(({ test }) => test);
  // What ends differently once more, alone, does so by more than chance.
  const differences = tests.length > 0 ? compare(...(await both(service, site, tests, `${log}-again`))) : [];
  const passed = (outcomes: Outcomes) =>
    [...outcomes.values()].filter((outcome) => outcome === 'PASSED').length;
  const counts = {
    folder,
    session: session.size,
    passed: passed(session),
    direct: direct.size,
    passedDirect: passed(direct),
  };
  console.log(JSON.stringify({ ...counts, differedFirst: first.length, differedAgain: differences.length }));
  for (const difference of differences) console.log(`  ${JSON.stringify(difference)}`);
}
