// @module-tag slow
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  accountCalls,
  engines,
  startTestGateway,
  type TestStore,
  testStore,
} from '../fixtures/gateway/gateway.ts';
import { plainEnvironment } from '../fixtures/process/plain-environment.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, testEach } from '../fixtures/suite/matrix.ts';

watchLeaks();

const command = join(import.meta.dirname, '../../apps/cli/src/main.ts');

function turnpike(env: Record<string, string>, ...args: string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [command, ...args],
      { env: { ...plainEnvironment(), ...env } },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

function settings({ location }: TestStore): Record<string, string> {
  if (location.engine === 'postgres') return { DATABASE_URL: location.url };
  return { TURNPIKE_DATA_DIR: join(location.file, '..') };
}

describeEach({ quick: engines.slice(0, 1), slow: engines.slice(1) })('turnpike account on %s', (engine) => {
  test('makes, lists, shows, limits, suspends, reinstates and rotates; running gateways see it at once', async () => {
    await using store = await testStore(engine);
    const env = settings(store);
    // The command names its own SQLite file, so the gateway takes that one.
    const location =
      store.location.engine === 'sqlite'
        ? { ...store.location, file: join(env['TURNPIKE_DATA_DIR'] ?? '', 'turnpike.sqlite') }
        : store.location;
    await using gateway = await startTestGateway(location);
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await turnpike(env, 'account', ...args, '--json');
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    };
    const email = 'ann@example.com';
    const created = await run('create', '--email', 'Ann@Example.com', '--name', 'Ann');
    expect(created).toEqual({
      account: expect.objectContaining({ email, name: 'Ann', status: 'active' }),
      apiKey: expect.stringMatching(/^tp_live_[0-9a-f]{64}$/),
      statsToken: expect.stringMatching(/^tpapi_[0-9a-f]{64}$/),
      proxyUser: expect.stringMatching(/^[a-z0-9]+$/),
      proxyPassword: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const account = accountCalls(gateway.url, created.apiKey);
    const limits = async () => (await account.get('/user/api/me')).json.limits;
    expect(await limits()).toEqual({
      concurrent: 5,
      unlimited: false,
      createsPerMinute: 60,
      browserSecondsCap: 172_800,
    });

    await run('set', email, '--concurrent', '7', '--browser-hours', '0.5', '--creates-per-minute', '9');
    expect(await limits()).toEqual({
      concurrent: 7,
      unlimited: false,
      createsPerMinute: 9,
      browserSecondsCap: 1800,
    });
    await run('set', email, '--concurrent', 'unlimited', '--browser-hours', 'unlimited');
    expect(await limits()).toMatchObject({
      concurrent: 2147483647,
      unlimited: true,
      createsPerMinute: 9,
      browserSecondsCap: 2147483647,
    });

    expect(await run('suspend', email)).toMatchObject({ status: 'suspended' });
    expect((await account.get('/user/api/me')).status).toBe(401);
    expect(await run('reinstate', email)).toMatchObject({ status: 'active' });
    const rotated = await run('rotate-key', email);
    expect((await account.get('/user/api/me')).status).toBe(401);
    expect((await accountCalls(gateway.url, rotated.apiKey).get('/user/api/me')).status).toBe(200);
    expect(await run('show', email)).toMatchObject({ email, usage: { browserSeconds: 0 } });
    expect(await run('list')).toEqual([await run('show', email)]);
    const everything = JSON.stringify([await run('list'), await run('show', email)]);
    expect(everything).not.toContain('tp_live_');
  });
});

test('for a person it prints tables, and says in one sentence what is wrong', { tags: 'slow' }, async () => {
  await using store = await testStore('sqlite');
  const env = settings(store);
  const made = await turnpike(env, 'account', 'create', '--email', 'bob@example.com');
  expect(made.stdout).toMatch(
    /email +bob@example\.com[\s\S]*Shown only once:\n {2}API key +tp_live_[0-9a-f]{64}\n {2}statistics token +tpapi_/,
  );
  expect((await turnpike(env, 'account', 'list')).stdout).toContain('bob@example.com');
  const wrong = async (...args: string[]) => {
    const { code, stderr } = await turnpike(env, 'account', ...args);
    // 2 is for what the parser refuses.
    expect(code).toBe(stderr.startsWith('error: ') ? 2 : 1);
    return stderr.split('\n')[0];
  };
  expect(await wrong('create', '--email', 'bob@example.com')).toBe(
    'turnpike: An account with the e-mail address bob@example.com already exists.',
  );
  expect(await wrong('create', '--email', 'bob')).toBe('turnpike: bob is not an e-mail address.');
  expect(await wrong('show', 'eve@example.com')).toBe('turnpike: There is no account eve@example.com.');
  expect(await wrong('set', 'bob@example.com')).toBe(
    'turnpike: nothing to set: give --concurrent, --browser-hours or --creates-per-minute',
  );
  expect(await wrong('set', 'bob@example.com', '--concurrent', 'many')).toContain(
    'must be a whole number from 0',
  );
  expect(await wrong('set', 'bob@example.com', '--browser-hours', '-1')).toContain(
    'must be a number of hours',
  );
  expect(await wrong('set', 'bob@example.com', '--creates-per-minute', '0')).toContain(
    'must be a whole number from 1',
  );
});

testEach({
  quick: [
    ['TURNPIKE_PORT', 'http', 'TURNPIKE_PORT must be a whole number from 0 to 65535, but is "http"'],
    ['TURNPIKE_PROT', '80', 'TURNPIKE_PROT is not a setting of Turnpike; did you mean TURNPIKE_PORT?'],
  ],
  slow: [
    ['TURNPIKE_HOST_PORT', '99999', 'TURNPIKE_HOST_PORT must be'],
    ['TURNPIKE_PROXY_PORT', '-1', 'TURNPIKE_PROXY_PORT must be'],
    ['TURNPIKE_LOG_LEVEL', 'loud', 'TURNPIKE_LOG_LEVEL must be one of'],
    ['TURNPIKE_PROXY_ALLOW', '10.0.0.0/99', 'TURNPIKE_PROXY_ALLOW must list host names and CIDRs'],
    ['DATABASE_URL', 'mysql://root:hunter2@db/x', 'DATABASE_URL must be a URL that starts with postgres://'],
  ],
})('a bad %s stops the start with a sentence that names it', async (name, value, sentence) => {
  await using store = await testStore('sqlite');
  const ports = { TURNPIKE_PORT: '0', TURNPIKE_HOST_PORT: '0', TURNPIKE_PROXY_PORT: '0' };
  const { code, stderr } = await turnpike({ ...settings(store), ...ports, [name]: value }, 'up');
  expect(code).toBe(1);
  expect(stderr).toContain(`turnpike: ${sentence}`);
  expect(stderr).not.toContain('hunter2');
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each(['up', 'gateway', 'host', 'proxy'])(
  'turnpike %s writes nothing when a setting is misspelt',
  async (part) => {
    await using directory = await scratchDirectory('misspelt');
    const env = { TURNPIKE_DATA_DIR: join(directory.path, 'data'), TURNPIKE_DATADIR: 'elsewhere' };
    const { code, stderr } = await turnpike(env, part);
    expect([code, stderr]).toEqual([
      1,
      'turnpike: TURNPIKE_DATADIR is not a setting of Turnpike; did you mean TURNPIKE_DATA_DIR?\n',
    ]);
    expect(existsSync(env.TURNPIKE_DATA_DIR)).toBe(false);
  },
);

testEach({ quick: ['TURNPIKE_PORT'], slow: ['TURNPIKE_HOST_PORT', 'TURNPIKE_PROXY_PORT'] })(
  '%s in use is one sentence',
  async (name) => {
    await using store = await testStore('sqlite');
    const ports = { TURNPIKE_PORT: '0', TURNPIKE_HOST_PORT: '0', TURNPIKE_PROXY_PORT: '0' };
    await using gateway = await startTestGateway(store.location);
    const port = new URL(gateway.url).port;
    const { code, stderr } = await turnpike({ ...settings(store), ...ports, [name]: port }, 'up');
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      expect.stringContaining(`turnpike: port ${port} is in use`),
    ]);
  },
);

test('a store that is away is one sentence', async () => {
  const away = await turnpike({ DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/x' }, 'account', 'list');
  expect([away.code, away.stderr.trim()]).toEqual([
    1,
    'turnpike: the store cannot be reached: check that DATABASE_URL names a PostgreSQL that runs',
  ]);
});
