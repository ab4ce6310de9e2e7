import { chmodSync, closeSync, openSync } from 'node:fs';

/** The files of a SQLite store: itself, and what SQLite puts beside it. */
const endings = ['', '-wal', '-shm', '-journal'];

/**
 * Creates a store's file if there is none, readable by its owner alone, and removes other users' rights to existing
 * files, whatever the directory and the umask allow. SQLite gives its log the rights of the file.
 */
export function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const ending of endings) {
    try {
      chmodSync(file + ending, 0o600);
    } catch (error) {
      // The file is missing, or belongs to another user, who then decides.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw error;
    }
  }
}
