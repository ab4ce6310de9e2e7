import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLogger } from '@turnpike/process/logger';
import { expect, test } from 'vitest';
import { backUpStore, restoreStore } from '../../../apps/gateway/src/operator/backup.ts';
import { openDatabase, StoreOpenError } from '../../../apps/gateway/src/store/database.ts';
import { call, startTestGateway, testSealer, testStore } from '../../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';
import { testEach } from '../../fixtures/suite/matrix.ts';

watchLeaks();

const logger = createLogger('silent');
const isRoot = process.getuid?.() === 0;

test('with the write lock held elsewhere, reads go on and a create fails in time, in the words of the contract', {
  tags: 'slow',
}, async () => {
  await using store = await testStore('sqlite');
  if (store.location.engine !== 'sqlite') throw new Error('not SQLite');
  await using gateway = await startTestGateway(store.location);
  const account = await gateway.account();
  const { browserId } = (await account.create()).json;
  const other = new DatabaseSync(store.location.file);
  try {
    other.exec('BEGIN IMMEDIATE');
    const create = account.create();
    let longestMs = 0;
    const giveUpAt = performance.now() + 30_000;
    let isAnswered = false;
    void create.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered && performance.now() < giveUpAt) {
      const since = performance.now();
      expect((await account.get(`/api/browser/${browserId}/status`)).status).toBe(200);
      longestMs = Math.max(longestMs, performance.now() - since);
    }
    expect(await create).toMatchObject({ status: 500, json: { error: 'Browser creation failed' } });
    // A stalled process would have answered none of them for five seconds.
    expect(longestMs).toBeLessThan(3000);
    expect((await call(`${gateway.url}/health/ready`)).status).toBe(503);
    other.exec('ROLLBACK');
  } finally {
    other.close();
  }
  await expect.poll(async () => (await call(`${gateway.url}/health/ready`)).status).toBe(200);
  await expect.poll(async () => (await account.create()).status).toBe(200);
});

test.skipIf(!isRoot)(
  'a full disk fails creates in the words of the contract, and is not ready, until there is space again (needs root)',
  async () => {
    await using directory = await scratchDirectory('disk');
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', directory.path]).status).toBe(0);
    try {
      await using gateway = await startTestGateway({
        engine: 'sqlite',
        file: join(directory.path, 'store.sqlite'),
      });
      const account = await gateway.account({ creates_per_minute: 100_000, concurrent_limit: null });
      const ballast = join(directory.path, 'ballast');
      expect(() => writeFileSync(ballast, Buffer.alloc(4 * 2 ** 20))).toThrow('ENOSPC');
      // The log has some room left at first.
      const metadata = { text: 'x'.repeat(15_000) };
      await expect.poll(async () => (await account.create({ metadata })).status).toBe(500);
      await expect.poll(async () => (await call(`${gateway.url}/health/ready`)).status).toBe(503);
      expect((await call(`${gateway.url}/health`)).status).toBe(200);
      rmSync(ballast);
      await expect.poll(async () => (await call(`${gateway.url}/health/ready`)).status).toBe(200);
      await expect.poll(async () => (await account.create()).status).toBe(200);
      expect(gateway.logs.join('')).not.toContain('Internal error');
    } finally {
      expect(spawnSync('umount', [directory.path]).status).toBe(0);
    }
  },
);

test('the file, its log and its backups are for their owner alone, in a directory that is for all', async () => {
  await using directory = await scratchDirectory('open');
  chmodSync(directory.path, 0o777);
  const umask = process.umask(0);
  try {
    const file = join(directory.path, 'store.sqlite');
    writeFileSync(file, '', { mode: 0o666 });
    const db = await openDatabase({ engine: 'sqlite', file }, logger);
    for (const name of readdirSync(directory.path)) expect([name, modeOf(name)]).toEqual([name, 0o600]);
    expect(readdirSync(directory.path)).toEqual(['store.sqlite', 'store.sqlite-shm', 'store.sqlite-wal']);
    await backUpStore(file, join(directory.path, 'backup'));
    expect(modeOf('backup')).toBe(0o600);
    await db.destroy();
    chmodSync(join(directory.path, 'backup'), 0o644);
    const options = { sealer: testSealer, withoutKey: false, logger };
    await restoreStore(join(directory.path, 'backup'), join(directory.path, 'restored'), options);
    expect(modeOf('restored')).toBe(0o600);
  } finally {
    process.umask(umask);
  }

  function modeOf(name: string): number {
    return statSync(join(directory.path, name)).mode & 0o777;
  }
});

test('a store that cannot be opened is told in a sentence that says what to do', async () => {
  await using directory = await scratchDirectory('bad');
  const damaged = join(directory.path, 'damaged.sqlite');
  writeFileSync(damaged, 'no store at all '.repeat(1000));
  mkdirSync(join(directory.path, 'folder.sqlite'));
  writeFileSync(join(directory.path, 'file'), '');
  for (const [file, words] of [
    [damaged, 'restore a backup'],
    [join(directory.path, 'folder.sqlite'), 'TURNPIKE_DATA_DIR'],
    [join(directory.path, 'file', 'store.sqlite'), 'TURNPIKE_DATA_DIR'],
    ['/proc/nowhere/store.sqlite', 'TURNPIKE_DATA_DIR'],
  ] as const) {
    const error = await openDatabase({ engine: 'sqlite', file }, logger).then(
      () => undefined,
      (cause) => cause,
    );
    expect(error).toBeInstanceOf(StoreOpenError);
    expect(error.message).toContain(words);
  }
});

testEach({
  quick: [['a data directory that cannot be made', '/proc/nowhere']],
  slow: [['a data directory that is a file', '/dev/null']],
})('%s ends the service at once, with a sentence and no stack', async (_what, path) => {
  const child = spawn(process.execPath, ['apps/cli/src/main.ts', 'up'], {
    env: { PATH: process.env['PATH'], TURNPIKE_DATA_DIR: path, TURNPIKE_METRICS_PORT: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 50_000,
  });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, told.includes('TURNPIKE_DATA_DIR'), told.includes('    at ')]).toEqual([1, true, false]);
});
