import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '@turnpike/process/make-directory';
import { SettingError } from '@turnpike/process/settings';
import { maxObjectBytes, ObjectTooLargeError, type RecordingStorage } from './recording-storage.ts';

/** Keeps recordings in a directory, which only the service's own user can read. */
export class FileStorage implements RecordingStorage {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    try {
      makeDirectory(directory);
    } catch (error) {
      throw new SettingError(
        'TURNPIKE_RECORDINGS_URL',
        `must be a directory that can be written to: ${(error as Error).message}`,
      );
    }
  }

  /** Writes under a temporary name and renames, so that a crash leaves the whole object or none. */
  async put(key: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const file = join(this.#directory, key);
    const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    try {
      await writeSynced(temporary, bytes);
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(dirname(file));
  }

  async get(key: string, signal: AbortSignal): Promise<Buffer | undefined> {
    const file = join(this.#directory, key);
    try {
      if ((await stat(file)).size > maxObjectBytes) throw new ObjectTooLargeError(key);
      return await readFile(file, { signal });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) await rm(join(this.#directory, key), { force: true });
  }

  async deleteSession(sessionId: string): Promise<void> {
    await rm(join(this.#directory, sessionId), { recursive: true, force: true });
  }

  close(): void {}
}

async function writeSynced(file: string, bytes: Buffer): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await handle.writeFile(bytes);
  await handle.sync();
}

/** Makes the new name itself survive a loss of power. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}
