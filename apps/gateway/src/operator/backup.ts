import { linkSync, rmSync } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import type { Sealer } from '../secrets/sealer.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { anySealedValue } from './backup-store.ts';

/** Says in one sentence why a backup or a restore is not possible. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** Copies a SQLite store to a new file, as of one moment, while gateways go on using it. */
export async function backUpStore(file: string, target: string): Promise<void> {
  await using partial = await newFile(`${target}.partial`);
  // Not read-only: the last connection to close a store removes its log, which is a write.
  const db = new DatabaseSync(file, { timeout: 5000 });
  try {
    // One read transaction: writers go on, and none of their transactions is half in the copy.
    db.prepare('VACUUM INTO ?').run(partial.path);
  } finally {
    db.close();
  }
  await partial.becomes(target, `The file ${target} already exists. Choose another name.`);
}

export interface RestoreOptions {
  /** Opens the secrets of the backup; undefined if no key is known. */
  sealer: Sealer | undefined;
  /** Accepts a backup whose secrets cannot be opened. */
  withoutKey: boolean;
  logger: Logger;
}

/** Creates a store from a backup and migrates it. Never replaces an existing one. */
export async function restoreStore(
  source: string,
  file: string,
  { sealer, withoutKey, logger }: RestoreOptions,
): Promise<void> {
  checkWhole(source);
  await using partial = await newFile(`${file}.restoring`);
  await copyFile(source, partial.path);
  const db = await openDatabase({ engine: 'sqlite', file: partial.path }, logger).catch((cause) => {
    throw new BackupError(`${source} cannot be migrated: ${(cause as Error).message}`, {
      cause,
    });
  });
  try {
    if (!withoutKey) await checkKey(db, sealer);
  } finally {
    await db.destroy();
  }
  await partial.becomes(
    file,
    `There is a store at ${file} already. Stop the service and move it away first.`,
  );
}

function checkWhole(source: string): void {
  let problem: unknown;
  try {
    const db = new DatabaseSync(source, { readOnly: true });
    try {
      problem = Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {})[0];
      if (!db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'kysely_migration'").get()) {
        problem = 'it is not a store';
      }
    } finally {
      db.close();
    }
  } catch (error) {
    problem = (error as Error).message;
  }
  if (problem !== 'ok') throw new BackupError(`${source} is not a complete backup: ${problem}`);
}

async function checkKey(db: Database, sealer: Sealer | undefined): Promise<void> {
  const sealed = await anySealedValue(db);
  if (sealed === undefined) return;
  try {
    if (sealer) return void sealer.open(sealed.sealed, sealed.aad);
  } catch {
    throw new BackupError(
      'The secret key is not the one of this backup. Use the secret.key of its time, or pass --without-key.',
    );
  }
  throw new BackupError(
    'There is no secret key. Put the secret.key of this backup into the data directory, or pass --without-key.',
  );
}

interface NewFile extends AsyncDisposable {
  path: string;
  /** Renames it, once it is on the disk. Never replaces another file. */
  becomes(name: string, otherwise: string): Promise<void>;
}

/** Creates a file that only its owner can read. It is removed unless it gets its final name. */
async function newFile(path: string): Promise<NewFile> {
  const remove = () => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  };
  remove();
  await (await open(path, 'wx', 0o600)).close();
  return {
    path,
    async becomes(name, otherwise) {
      await syncToDisk(path);
      try {
        linkSync(path, name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        throw new BackupError(otherwise);
      }
      await syncToDisk(dirname(name));
    },
    async [Symbol.asyncDispose]() {
      remove();
    },
  };
}

async function syncToDisk(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}
