import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingError } from '@turnpike/process/settings';

/**
 * Keeps a data directory to one process, until it is disposed of or the process ends, however it ends: SQLite's lock on
 * an empty database is the kernel's, and holds between containers too, where a process id would say nothing.
 */
export function lockDataDirectory(directory: string): Disposable {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'turnpike.lock');
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    const { errcode } = cause as { errcode?: number };
    if (errcode !== busy) throw cause;
    throw new SettingError(
      'TURNPIKE_DATA_DIR',
      `is in use: Turnpike runs on ${directory} already. Stop it first, or name another directory`,
    );
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/** SQLITE_BUSY */
const busy = 5;
