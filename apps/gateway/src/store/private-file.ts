import { chmodSync, closeSync, openSync } from 'node:fs';

/** A store's file, and what SQLite puts beside it. */
const endings = ['', '-wal', '-shm', '-journal'];

/**
 * Makes a store's file if there is none, readable by its owner alone, and takes other people's rights to those that
 * are there, whatever the directory and the umask allow. SQLite gives its log the rights of the file.
 */
export function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const ending of endings) {
    try {
      chmodSync(file + ending, 0o600);
    } catch (error) {
      // Not there; or somebody else's, who then decides.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EPERM' && code !== 'EROFS') throw error;
    }
  }
}
