import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { createLogger } from '@turnpike/process/logger';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { backUpStore, restoreStore } from '../../apps/gateway/src/operator/backup.ts';
import { openDatabase } from '../../apps/gateway/src/store/database.ts';
import { findBinaries } from '../fixtures/database/postgres.ts';
import { accountCalls, startTestGateway, testStore } from '../fixtures/gateway/gateway.ts';
import { plainEnvironment } from '../fixtures/process/plain-environment.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks();

const command = join(import.meta.dirname, '../../apps/cli/src/main.ts');
const run = promisify(execFile);

/** Runs `turnpike …` on a data directory. */
async function turnpike(dataDirectory: string, ...args: string[]): Promise<string> {
  const env = { ...plainEnvironment(), TURNPIKE_DATA_DIR: dataDirectory };
  return (await run(process.execPath, [command, ...args], { env })).stdout;
}

/** What a command says when it fails. */
async function complaint(dataDirectory: string, ...args: string[]): Promise<string> {
  const failed = await turnpike(dataDirectory, ...args).then(
    () => undefined,
    (error) => error,
  );
  return failed?.stderr.trim() ?? '';
}

/** Bills and what they are the sum of, from different tables: the same in every whole copy. */
const unbilled = `
  SELECT accounts.id FROM accounts
  WHERE browser_seconds <> (SELECT coalesce(sum(billed_seconds), 0) FROM sessions WHERE account_id = accounts.id)
     OR browser_seconds <> (SELECT coalesce(sum(browser_seconds), 0) FROM usage_days WHERE account_id = accounts.id)`;

test('a backup taken while sessions come and go is whole, private, and a store that works', async () => {
  await using directory = await scratchDirectory('backup');
  const [data, other, file] = ['data', 'other', 'backup.sqlite'].map((name) =>
    join(directory.path, name),
  ) as [string, string, string];
  const { apiKey, statsToken } = JSON.parse(
    await turnpike(data, 'account', 'create', '--email', 'ann@example.com', '--json'),
  );
  await turnpike(data, 'account', 'set', 'ann@example.com', '--creates-per-minute', '100000');
  let sessions = 0;
  {
    const location = { engine: 'sqlite', file: join(data, 'turnpike.sqlite') } as const;
    await using gateway = await startTestGateway(location);
    const account = accountCalls(gateway.url, apiKey);
    const comeAndGo = async () => {
      const { json } = await account.create();
      await account.close(json.browserId);
      sessions += 1;
    };
    await comeAndGo();
    const written = sessions;
    const backedUp = turnpike(data, 'backup', file);
    let done = false;
    void backedUp.finally(() => {
      done = true;
    });
    while (!done) await comeAndGo();
    expect(await backedUp).toContain(`The store is backed up to ${file}.`);
    expect(sessions).toBeGreaterThan(written);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(directory.path)).sort()).toEqual(['backup.sqlite', 'data']);
  const copy = new DatabaseSync(file, { readOnly: true });
  expect(copy.prepare(unbilled).all()).toEqual([]);
  const kept = Number(
    copy.prepare("SELECT count(*) AS n FROM sessions WHERE state <> 'STARTING'").get()?.['n'],
  );
  copy.close();
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(sessions + 1);

  // Without its key, or with another, a restore says so before it does anything.
  expect(await complaint(other, 'restore', file)).toContain(
    'turnpike: There is no secret key. Put the secret.key',
  );
  await writeFile(join(other, 'secret.key'), `${'0'.repeat(64)}\n`);
  expect(await complaint(other, 'restore', file)).toContain('turnpike: The secret key is not the one');
  expect(await readdir(other)).toEqual(['secret.key']);

  await copyFile(join(data, 'secret.key'), join(other, 'secret.key'));
  expect(await turnpike(other, 'restore', file)).toContain('Start the service.');
  expect((await readdir(other)).sort()).toEqual(['secret.key', 'turnpike.sqlite']);
  expect((await stat(join(other, 'turnpike.sqlite'))).mode & 0o777).toBe(0o600);
  expect((await turnpike(other, 'account', 'stats-token', 'ann@example.com')).trim()).toBe(statsToken);
  await using restored = await startTestGateway({ engine: 'sqlite', file: join(other, 'turnpike.sqlite') });
  const account = accountCalls(restored.url, apiKey);
  // One that ran is DEAD: its host has started anew.
  expect((await account.get('/user/api/me')).json.usage.sessions).toBe(kept);
  expect((await account.create()).status).toBe(200);
});

test('nothing is ever replaced, and what is no whole backup is refused with the reason', async () => {
  await using directory = await scratchDirectory('backup');
  const at = (name: string) => join(directory.path, name);
  const options = { sealer: undefined, withoutKey: true, logger: createLogger('silent') };
  await (await openDatabase({ engine: 'sqlite', file: at('store') }, options.logger)).destroy();
  await backUpStore(at('store'), at('backup'));
  await expect(backUpStore(at('store'), at('backup'))).rejects.toThrow(
    `The file ${at('backup')} already exists`,
  );
  await expect(restoreStore(at('backup'), at('store'), options)).rejects.toThrow('There is a store at');
  await expect(restoreStore(at('none'), at('new'), options)).rejects.toThrow('is not a complete backup');

  await truncate(at('backup'), 20_000);
  await expect(restoreStore(at('backup'), at('new'), options)).rejects.toThrow('is not a complete backup');
  expect((await readdir(directory.path)).sort()).toEqual(['backup', 'store']);

  // The rest of a store of the same name would be taken for the restored one's.
  await mkdir(at('data'));
  await writeFile(at('data/turnpike.sqlite-wal'), 'of another store');
  expect(await complaint(at('data'), 'restore', at('store'))).toContain(
    'turnpike.sqlite-wal: stop the service',
  );
});

test("PostgreSQL's own tools back up a store that is in use, as docs/backup.md says", {
  tags: 'slow',
}, async () => {
  await using directory = await scratchDirectory('backup');
  await using store = await testStore('postgres');
  await using empty = await testStore('postgres');
  if (store.location.engine !== 'postgres' || empty.location.engine !== 'postgres')
    throw new Error('no PostgreSQL');
  const bin = await findBinaries();
  const file = join(directory.path, 'turnpike.dump');
  await using gateway = await startTestGateway(store.location);
  const account = await gateway.account({ creates_per_minute: 100_000 });
  const { browserId } = (await account.create()).json;
  const dumped = run(`${bin}/pg_dump`, ['--format=custom', `--file=${file}`, store.location.url]);
  let done = false;
  void dumped.finally(() => {
    done = true;
  });
  while (!done) await account.close((await account.create()).json.browserId);
  await dumped;
  await run(`${bin}/pg_restore`, ['--exit-on-error', '--no-owner', `--dbname=${empty.location.url}`, file]);

  const client = new Client({ connectionString: empty.location.url });
  await client.connect();
  expect((await client.query(unbilled)).rows).toEqual([]);
  await client.end();
  await using restored = await startTestGateway(empty.location, { hostName: 'another' });
  const again = accountCalls(restored.url, account.key);
  expect((await again.get(`/api/browser/${browserId}/status`)).json.status).toBe('ACTIVE');
  expect((await again.create()).status).toBe(200);

  const env = { ...plainEnvironment(), DATABASE_URL: store.location.url };
  await expect(run(process.execPath, [command, 'backup', file], { env })).rejects.toMatchObject({
    stderr: 'turnpike: the store is PostgreSQL: use pg_dump, as docs/backup.md says\n',
  });
});
