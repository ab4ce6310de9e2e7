import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { call } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { ctrlC, runOnTerminal, type Terminal } from '../fixtures/process/terminal.ts';
import { startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';

watchLeaks();

const root = join(import.meta.dirname, '../..');
const main = join(root, 'apps/cli/src/main.ts');

/** Runs the service on a terminal, on free ports. */
function startOn(
  dataDirectory: string,
  command: readonly string[],
  env: Record<string, string> = {},
): Terminal {
  return runOnTerminal(command, {
    TURNPIKE_PORT: '0',
    TURNPIKE_HOST_PORT: '0',
    TURNPIKE_PROXY_PORT: '0',
    TURNPIKE_DATA_DIR: dataDirectory,
    TURNPIKE_HOST_WARM_HEADFUL: '0',
    TURNPIKE_HOST_WARM_HEADLESS: '0',
    ...env,
  });
}

const found = (terminal: Terminal, pattern: RegExp) => pattern.exec(terminal.screen())?.[1] ?? '';
const shows = (terminal: Terminal, pattern: RegExp) =>
  expect.poll(() => terminal.screen(), { timeout: 60_000 }).toMatch(pattern);

test('npm start leaves the secrets in a box at the end, and counts the sessions while it stops', {
  tags: 'slow',
}, async () => {
  await using data = await scratchDirectory('data');
  await using terminal = startOn(data.path, ['npm', '--prefix', root, 'start']);
  await shows(terminal, /└─+┘/);
  expect(terminal.raw()).toContain('Starting the first browser…');
  const variable = (name: string) => found(terminal, new RegExp(`│ export ${name}=(\\S+) *│`));
  const url = `${variable('TURNPIKE_URL')}/connect?proxy=${variable('TURNPIKE_PROXY')}&headless=true`;
  const opened = await call(url, { headers: { 'x-api-key': variable('TURNPIKE_API_KEY') } });
  expect(opened.status).toBe(200);
  // Nothing came after the box: neither the requests nor the browser's start.
  expect(terminal.screen()).toMatch(
    /\nTurnpike is up\.\n[^┌]*\n┌─ Secrets of the demo account[^└]*└─+┘\n\n$/,
  );

  terminal.type(ctrlC);
  expect(await terminal.exited).toBe(0);
  expect(terminal.raw()).toContain('Stopping: 1 session left. Press Ctrl-C again to stop at once.');
  expect(terminal.screen()).toContain('\nStopped.\n');
  using store = new DatabaseSync(join(data.path, 'turnpike.sqlite'));
  // The browser did not get the terminal's signal too.
  expect(store.prepare('select state, end_reason from sessions').all()).toEqual([
    { state: 'CLOSED', end_reason: 'host_stopped' },
  ]);
});

test('with --verbose each request is a line; a second Ctrl-C stops at once', { tags: 'slow' }, async () => {
  await using data = await scratchDirectory('data');
  await using terminal = startOn(data.path, [process.execPath, main, 'up', '--verbose'], {
    TURNPIKE_DRAIN_DELAY: '300',
  });
  await shows(terminal, /└─+┘/);
  const health = `${found(terminal, /gateway +(\S+)/)}/health`;
  await call(health);
  await shows(terminal, /\n\[\d\d:\d\d:\d\d\] INFO: GET \/health 200 [\d.]+ ms\n/);
  terminal.type(ctrlC);
  const again = setInterval(() => terminal.type(ctrlC), 100);
  expect(await terminal.exited).toBe(130);
  clearInterval(again);
  expect(terminal.raw()).toContain('Stopping.');
  expect(terminal.screen()).not.toContain('Stopped.');
});

testEach({ quick: ['0'], slow: ['1'] })(
  'without a browser it does not say that it is up, and the rest works (%s kept warm)',
  async (warm) => {
    await using service = await startService({
      env: { TURNPIKE_CHROMIUM: '/bin/false', TURNPIKE_HOST_WARM_HEADLESS: warm },
    });
    expect(service.output()).not.toContain('is up');
    expect(service.output()).toMatch(/no browser can be opened: The browser did not start/);
    expect(service.output()).toContain('`npx turnpike doctor`');
    await expect.poll(service.logs).toContain('"msg":"no browser can be opened');
    expect((await call(`${service.gatewayUrl}/health`)).status).toBe(200);
  },
);

test.runIf(process.getuid?.() === 0)(
  'a user without a home directory can run commands',
  { tags: 'slow' },
  async () => {
    const run = async (input: string, ...args: string[]) => {
      const child = promisify(execFile)(process.execPath, [main, ...args], {
        uid: 54_321, // Not in the password file.
        gid: 54_321,
        env: { PATH: '/usr/bin' },
      });
      child.child.stdin?.end(input);
      return child.then(
        ({ stdout }) => stdout,
        ({ stderr }) => stderr as string,
      );
    };
    expect(await run('', 'help')).toContain('Running the service:');
    expect(await run('', 'login', '--help')).toContain('this user has no home directory');
    expect(await run('', 'ls')).toContain('run turnpike login, or set TURNPIKE_URL and TURNPIKE_API_KEY');
  },
);
