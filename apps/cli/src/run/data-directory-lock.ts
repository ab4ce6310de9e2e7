import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '@turnpike/process/make-directory';
import { SettingError } from '@turnpike/process/settings';

/**
 * Keeps a data directory to one process, until it is disposed of or the process ends, however it ends: SQLite's lock on
 * an empty database is the kernel's, and holds between containers too, where a process id would say nothing.
 */
export function lockDataDirectory(directory: string): Disposable {
  const file = join(directory, 'turnpike.lock');
  let lock: DatabaseSync | undefined;
  try {
    makeDirectory(directory);
    lock = new DatabaseSync(file, { timeout: 0 });
    chmodSync(file, 0o600);
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    const { errcode, message } = cause as { errcode?: number; message: string };
    throw new SettingError(
      'TURNPIKE_DATA_DIR',
      errcode === busy
        ? `is in use: Turnpike runs on ${directory} already. Stop it first, or name another directory`
        : `cannot be used: ${message}. Check the directory ${directory}, or name another one`,
    );
  }
  return { [Symbol.dispose]: () => lock?.close() };
}

/** SQLITE_BUSY */
const busy = 5;
