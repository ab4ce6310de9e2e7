import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { command, turnpike } from '../clients/cli-driver.ts';
import { startGatewayOn, type TestAccount, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { type ScratchDirectory, scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

let gateway: TestGateway;
let home: ScratchDirectory;
let account: TestAccount;
let env: Record<string, string>;
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
  home = await scratchDirectory('home');
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});
beforeEach(async () => {
  account = await gateway.account();
  env = {
    XDG_CONFIG_HOME: home.path,
    TURNPIKE_URL: gateway.url,
    TURNPIKE_API_KEY: account.key,
    TURNPIKE_STATS_TOKEN: account.statsToken,
    TURNPIKE_PROXY: account.proxy,
  };
});

const run = (...args: string[]) => turnpike(env, args);
const active = async () => (await account.get('/user/api/limits')).json.active;

describe('turnpike login', () => {
  test('stores what works for the eyes of its user only, and logout forgets it', async () => {
    const own = { XDG_CONFIG_HOME: home.path };
    const file = join(home.path, 'turnpike/config.json');
    const login = (key: string) => turnpike(own, ['login', '--endpoint', gateway.url, '--key-stdin'], key);

    expect(await login(`tp_live_${'0'.repeat(64)}\n`)).toMatchObject({ code: 3, stdout: '' });
    await expect(stat(file)).rejects.toThrow('ENOENT');
    expect(await login(`${account.key}\ntpapi_${'0'.repeat(64)}\n`)).toMatchObject({ code: 3 });
    await expect(stat(file)).rejects.toThrow('ENOENT');

    expect((await login(`${account.key}\n${account.statsToken}\n`)).stdout).toBe(
      `Logged in to ${gateway.url} as ${account.email}.\n`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      endpoint: gateway.url,
      apiKey: account.key,
      statsToken: account.statsToken,
    });
    expect((await turnpike(own, ['whoami'])).stdout).toContain(account.email);
    expect((await turnpike(own, ['stats', 'summary'])).stdout).toContain('web-unblocker');

    const other = await gateway.account();
    expect((await turnpike({ ...own, TURNPIKE_API_KEY: other.key }, ['whoami'])).stdout).toContain(
      other.email,
    );
    // The stored key is for the stored gateway.
    const elsewhere = await turnpike({ ...own, TURNPIKE_URL: 'http://127.0.0.1:1' }, ['whoami']);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      3,
      expect.stringContaining('there is no key for http://127.0.0.1:1'),
    ]);

    expect((await turnpike(own, ['logout'])).stdout).toBe('Logged out.\n');
    expect((await turnpike(own, ['logout'])).stdout).toBe('Nothing was stored.\n');
    expect(await turnpike(own, ['ls'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('turnpike login'),
    });
  });

  test('asks nobody where there is nobody to ask, and says when its file is broken', async () => {
    expect(await turnpike({ XDG_CONFIG_HOME: home.path }, ['login'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--key-stdin'),
    });
    await mkdir(join(home.path, 'broken/turnpike'), { recursive: true });
    await writeFile(join(home.path, 'broken/turnpike/config.json'), '{');
    expect(await turnpike({ XDG_CONFIG_HOME: join(home.path, 'broken') }, ['ls'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is not JSON'),
    });
  });
});

describe('turnpike open', () => {
  test('prints the CDP URL alone, and the session goes on until turnpike close', async () => {
    const { code, stdout, stderr } = await run('open', '--vnc', '--metadata', '{"job":7}');
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(/^wss:\/\/host\.example\/cdp\/br_[0-9a-f]{40}\n$/),
      '',
    ]);
    expect((await run('ls')).stdout).toMatch(
      /^session +name +status +age +ends in\nbr_[0-9a-f]{24} +ACTIVE +\d+s +(1h 59m|2h 00m)\n$/,
    );
    const [{ browserId }] = JSON.parse((await run('ls', '--json')).stdout);
    expect((await run('status', browserId)).stdout).toMatch(
      /live view +https:.*\n[\s\S]*metadata +\{"job":7,/,
    );
    expect((await run('reconnect', browserId)).stdout).toBe(stdout);
    expect((await run('limits')).stdout).toContain('1 of 5');
    expect((await run('close', '--all')).stdout).toBe(`${browserId}  CLOSED\n`);
    expect((await run('ls')).stdout).toContain('No browser runs');
    expect((await run('ls', '--all', '--limit', '1')).stdout).toMatch(
      new RegExp(`${browserId} .* client_close$`, 'm'),
    );
    expect((await run('usage')).stdout).toContain('Browser hours by day (UTC)');
  });

  test("traffic is drawn by destination and by day, and a session's takes no days", async () => {
    const id = (await account.create({ max_bytes: 100_000 })).json.browserId;
    const use = { requests: 0, tunnels: 2, firstAgoMs: 1, lastAgoMs: 0 };
    gateway.host.carry(id, {
      ...{ bytesUp: 1000, bytesDown: 99_000, bytesFromCache: 5000, maxBytesReached: true },
      destinations: [
        { host: 'a.test', port: 443, ...use, bytesUp: 900, bytesDown: 79_100, refused: { max_bytes: 4 } },
        { host: 'b.test', port: 80, ...use, bytesUp: 100, bytesDown: 9900, refused: {} },
      ],
      other: { requests: 3, tunnels: 0, bytesUp: 0, bytesDown: 10_000, refused: {} },
    });
    const { stdout } = await run('traffic', id);
    expect(stdout).toContain(`${id}, ACTIVE, live`);
    expect(stdout).toMatch(/traffic +1\.00 kB up, 99\.0 kB down\nrequests +7\nrefused +4 by max_bytes\n/);
    expect(stdout).toMatch(/from cache +5\.00 kB\nlimit +100 kB, reached\n/);
    expect(stdout).toMatch(
      /a\.test:443 +80\.0 kB +█+\nb\.test:80 +10\.0 kB +█+.?\nall others +10\.0 kB +█+.?\n/,
    );
    expect((await run('traffic')).stdout).toContain('No traffic.');
    await account.close(id);
    const byDay = (await run('traffic')).stdout;
    expect(byDay).toMatch(
      /^Traffic by day \(UTC\), .*\n\d{4}-\d\d-\d\d +100 kB +█+\n\nLargest destinations\na\.test/,
    );
    expect(await run('traffic', id, '--from', '2026-01-01')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--from and --to are for the account's traffic"),
    });
  });

  test('--exec lends the browser to a command, passes its exit code on, and closes', async () => {
    const script = 'echo "$TURNPIKE_SESSION_ID $TURNPIKE_CDP_URL"; printenv TURNPIKE_VNC_URL; exit 42';
    const { code, stdout } = await run('open', '--exec', script);
    expect([code, stdout]).toEqual([42, expect.stringMatching(/^br_[0-9a-f]{24} wss:\S+\n$/)]);
    expect(await active()).toBe(0);
    expect(await run('open', '--exec', 'kill -TERM $$')).toMatchObject({ code: 143 });
    expect(await active()).toBe(0);
  });

  test('a signal goes to the command, and the session is closed when that has ended', async () => {
    const child = start(
      'open',
      '--exec',
      'trap "echo caught; exit 7" TERM; echo ready; while read -r line; do :; done',
    );
    await line(child.stdout, 'ready');
    expect(await active()).toBe(1);
    child.kill('SIGTERM');
    await line(child.stdout, 'caught');
    expect((await once(child, 'exit'))[0]).toBe(7);
    expect(await active()).toBe(0);
  });

  test('interrupted while it waits for the browser, it leaves none', async () => {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    gateway.host.onOpen = async () => {
      reached.resolve();
      await go.promise;
    };
    const child = start('open');
    await reached.promise;
    child.kill('SIGINT');
    await line(child.stderr, 'Interrupted.');
    go.resolve();
    gateway.host.onOpen = async () => {};
    expect((await once(child, 'exit'))[0]).toBe(130);
    expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0, remaining: 5 });
  });

  function start(...args: string[]): ChildProcess {
    return spawn(process.execPath, [command, ...args], {
      env: { ...process.env, ...env },
      stdio: 'pipe',
    });
  }

  async function line(from: Readable | null, text: string): Promise<void> {
    for (let seen = ''; !seen.includes(text); ) seen += String((await once(from as Readable, 'data'))[0]);
  }
});

test('mistakes in the usage end with 2 and a line that leads to the help', async () => {
  for (const [args, hint] of [
    [['open', '--os', 'beos'], 'turnpike help open'],
    [['open', '--max-lifetime', 'long'], 'turnpike help open'],
    [['open', '--metadata', '[1]'], 'It must be a JSON object'],
    [['close'], 'pass either the id of a session or --all'],
    [['stats', 'bandwidth', '--unit', 'Pb'], 'turnpike help stats bandwidth'],
    [['ls', '--timeout', '0'], 'number of seconds'],
    [['nonsense'], 'turnpike help explains it'],
  ] as const) {
    expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(hint) });
  }
});

test('the help teaches: commands by what they are for, and examples for each', async () => {
  const help = await run('help');
  expect([help.code, help.stdout]).toEqual([
    0,
    expect.stringMatching(/Browsers:\n {2}open[\s\S]*Your account:\n[\s\S]*Running the service:\n/),
  ]);
  expect((await run('help', 'open')).stdout).toMatch(/TURNPIKE_CDP_URL[\s\S]*Examples:\n {2}turnpike open/);
  expect((await run('help', 'account', 'set')).stdout).toContain('Usage: turnpike account set');
  expect((await run('help', 'stats', 'bandwidth')).stdout).toContain('Usage: turnpike stats bandwidth');
  expect(await run('help', 'account', 'nonsense')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'account nonsense'"),
  });
  for (const width of help.stdout.split('\n').map((line) => line.length))
    expect(width).toBeLessThanOrEqual(80);
});

test('the version is that of the release', async () => {
  const { version } = JSON.parse(
    await readFile(join(import.meta.dirname, '../../apps/cli/package.json'), 'utf8'),
  );
  expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('a command that only calls a gateway loads no server and no schemas', async () => {
  const watch = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });`;
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(watch)}`, command, 'ls'],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const stderr = await text(child.stderr);
  expect(stderr).toContain('commander');
  expect(stderr).not.toMatch(/typebox|fastify|apps\/gateway/);
});

test('bars are drawn for statistics; colours only where they are wanted', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { stdout } = await run('stats', 'bandwidth', 'rotating-dc', '--from', today, '--unit', 'Mb');
  expect(stdout).toBe(`rotating-dc, ${today} to ${today}\n${today}  0 Mb\n`);
  const coloured = await turnpike({ ...env, FORCE_COLOR: '1' }, ['stats', 'summary', 'residential']);
  expect(coloured.stdout).toContain('\x1b[');
  const plain = await turnpike({ ...env, NO_COLOR: '1' }, ['stats', 'summary', 'residential']);
  expect(plain.stdout).not.toContain('\x1b');
});

test('the completion of bash knows commands, options and their values', async () => {
  const { stdout: script } = await run('completion', 'bash');
  const complete = async (...words: string[]) => {
    const ask = `COMP_WORDS=(turnpike ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _turnpike; echo "\${COMPREPLY[*]}"`;
    return (await promisify(execFile)('bash', ['-c', `${script}\n${ask}`])).stdout.trim();
  };
  expect(await complete('st')).toBe('status stats');
  expect(await complete('stats', 'c')).toBe('countries');
  expect(await complete('open', '--max')).toBe('--max-lifetime --max-bytes');
  expect(await complete('open', '--os', '')).toBe('windows android linux macos');
  expect(await complete('stats', 'summary', 'rot')).toBe('rotating-isp rotating-dc');
  expect(await complete('account', 'sus')).toBe('suspend');
  for (const shell of ['zsh', 'fish']) expect((await run('completion', shell)).stdout).toContain('countries');
});
