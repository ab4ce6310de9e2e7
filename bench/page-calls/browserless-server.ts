import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../tests/fixtures/network/free-port.ts';
import { scratchDirectory } from '../../tests/fixtures/process/scratch-directory.ts';
import { unprivilegedCommand } from '../../tests/fixtures/process/unprivileged.ts';
import { install } from '../../tests/real-clients/installed.ts';

export const browserlessVersion = '2.42.0';
const token = 'bench';
const chromium = '/usr/bin/chromium';
const startMs = 60_000;

export interface BrowserlessServer extends AsyncDisposable {
  /** The address of one of its calls. */
  address(call: string): string;
}

/** Installs Browserless's free server from npm, once, outside of this tree. Returns the directory of its package. */
async function installed(): Promise<string> {
  const directory = join(tmpdir(), `turnpike-bench-browserless-${browserlessVersion}`);
  const complete = join(directory, 'complete');
  if (!existsSync(complete)) {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'package.json'), '{"private":true,"type":"module"}');
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--ignore-scripts', '--loglevel=error'];
    const wanted = `@browserless.io/browserless@${browserlessVersion}`;
    await install('npm', ['install', '--no-save', ...quiet, wanted], directory);
    await writeFile(complete, '');
  }
  return join(directory, 'node_modules/@browserless.io/browserless');
}

/**
 * Starts it with its own settings, Debian's Chromium and the routes of Chromium, as an unprivileged user. It looks for
 * the Chromium that its Playwright would download, so a link is there.
 */
export async function startBrowserless(): Promise<BrowserlessServer> {
  const packaged = await installed();
  const modules = dirname(dirname(packaged));
  await using undo = new AsyncDisposableStack();
  const { path: own } = undo.use(await scratchDirectory('browserless'));
  const { path: data } = undo.use(await scratchDirectory('browserless-data'));
  await cp(join(packaged, 'package.json'), join(own, 'package.json'));
  await symlink(modules, join(own, 'node_modules'));
  await mkdir(join(own, 'routes'));
  for (const routes of ['chromium', 'management'])
    await symlink(join(packaged, 'build/routes', routes), join(own, 'routes', routes));
  const browsers = join(own, 'browsers');
  const expected = await chromiumOf(modules, browsers);
  await mkdir(dirname(expected), { recursive: true });
  await symlink(chromium, expected);

  const port = await freePort();
  const [program, args] = unprivilegedCommand(process.execPath, [join(packaged, 'build/index.js')]);
  const child = spawn(program, args, {
    cwd: own,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      HOME: data,
      TMPDIR: data,
      DEBUG: '-*',
      HOST: '127.0.0.1',
      PORT: String(port),
      TOKEN: token,
      ROUTES: join(own, 'routes'),
      DATA_DIR: data,
      DOWNLOAD_DIR: data,
      METRICS_JSON_PATH: join(data, 'metrics.json'),
      PLAYWRIGHT_BROWSERS_PATH: browsers,
    },
  });
  const exited = once(child, 'exit');
  undo.defer(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const address = (call: string) => `http://127.0.0.1:${port}/${call}?token=${token}`;
  await answers(address('active'));
  const owned = undo.move();
  return { address, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Where its Playwright expects Chromium to be. */
async function chromiumOf(modules: string, browsers: string): Promise<string> {
  const require = createRequire(join(modules, 'playwright-core/package.json'));
  const before = process.env['PLAYWRIGHT_BROWSERS_PATH'];
  process.env['PLAYWRIGHT_BROWSERS_PATH'] = browsers;
  try {
    const playwright = require(join(modules, 'playwright-core')) as typeof import('playwright-core');
    const expected = playwright.chromium.executablePath();
    if (!expected.startsWith(browsers)) throw new Error(`Its Chromium would be ${expected}`);
    return expected;
  } finally {
    if (before === undefined) delete process.env['PLAYWRIGHT_BROWSERS_PATH'];
    else process.env['PLAYWRIGHT_BROWSERS_PATH'] = before;
  }
}

async function answers(url: string): Promise<void> {
  const deadline = performance.now() + startMs;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 204) return;
    if (performance.now() > deadline) throw new Error('Browserless did not start');
    await delay(100);
  }
}
