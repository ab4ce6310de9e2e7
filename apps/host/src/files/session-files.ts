import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, fstatSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { type FileHandle, lstat, opendir, statfs } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { asUser } from '../sandbox/as-user.ts';
import { inside } from '../sandbox/open-directory.ts';
import { FileError, maxTransfers, stallMs } from './file-error.ts';
import { receiveFile } from './receive-file.ts';

export interface FileEntry {
  name: string;
  bytes: number;
  modifiedAt: string;
}

export interface SessionFilesOptions {
  /** Opens the directory of the files. */
  open(): Promise<FileHandle>;
  /** The session's user id; undefined means the host's own. */
  uid: number | undefined;
  stallMs?: number;
}

/** Names of unfinished downloads and uploads. */
const unfinished = /\.crdownload$|^\.upload-/;
const nameBytes = { min: 1, max: 200 };
/** A page may have created more files than fit into an answer. */
const maxListed = 10_000;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
const toRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK; // Non-blocking: the browser may have put a pipe there.
const toCreate = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW; // Only a file that does not exist.

/**
 * The files that a session's browser downloaded or may upload. They are in the sandbox's own file system, which a
 * hostile browser may have filled with links to files of the host. So neither the directory nor a file is opened
 * through a link, names contain no slash, and all of it is done with the rights of the session's user (decision 0023).
 */
export class SessionFiles {
  readonly #options: SessionFilesOptions;
  readonly #closing = new AbortController();
  /** Operations that have a file of the session open. */
  readonly #pending = new Set<Promise<unknown>>();
  #transfers = 0;

  constructor(options: SessionFilesOptions) {
    this.#options = options;
  }

  list(): Promise<FileEntry[]> {
    return this.#inDirectory(async (directory) => {
      const names: string[] = [];
      for await (const { name } of await opendir(inside(directory))) {
        if (!unfinished.test(name)) names.push(name);
        if (names.length === maxListed) break;
      }
      const entries = await Promise.all(
        names.sort().map(async (name) => ({
          name,
          stat: await lstat(inside(directory, name)).catch(() => undefined),
        })),
      );
      return entries.flatMap(({ name, stat }) =>
        stat?.isFile() ? [{ name, bytes: stat.size, modifiedAt: stat.mtime.toISOString() }] : [],
      );
    });
  }

  /** Whether a download that is not finished has got something since a time. */
  downloadsSince(time: number): Promise<boolean> {
    return this.#inDirectory(async (directory) => {
      let looked = 0;
      for await (const { name } of await opendir(inside(directory))) {
        if (++looked > maxListed) break;
        if (!name.endsWith('.crdownload')) continue;
        const stat = await lstat(inside(directory, name)).catch(() => undefined);
        if (stat && stat.mtimeMs >= time) return true;
      }
      return false;
    });
  }

  /** The caller reads the stream to its end or destroys it. */
  async read(name: string): Promise<{ content: Readable; bytes: number }> {
    checkName(name);
    const done = this.#beginTransfer();
    try {
      return await this.#inDirectory(async (directory) => {
        const { descriptor, bytes } = this.#openFile(inside(directory, name));
        // Not more than `bytes`, should the file grow meanwhile.
        const content = createReadStream('', { fd: descriptor, start: 0, end: Math.max(0, bytes - 1) });
        const closed = once(content, 'close').catch(() => {});
        this.#track(closed.finally(done));
        this.#destroyOnClose(content);
        return { content, bytes };
      });
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Creates or replaces a file; a failed upload leaves no part of it. `bytes`: the announced size. */
  async write(name: string, content: Readable, bytes = 0): Promise<void> {
    checkName(name);
    const done = this.#beginTransfer();
    try {
      await this.#inDirectory(async (directory) => {
        await checkRoom(directory, bytes);
        await this.#receive(content, directory, name);
      });
    } finally {
      done();
    }
  }

  remove(name: string): Promise<void> {
    checkName(name);
    return this.#inDirectory(async (directory) => {
      try {
        this.#asUser(() => unlinkSync(inside(directory, name)));
      } catch (cause) {
        throw new FileError('not-found', { cause });
      }
    });
  }

  /** Cancels running transfers. Resolves when no file of the session is open any more. */
  async close(): Promise<void> {
    this.#closing.abort(new FileError('ended'));
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #asUser<Result>(work: () => Result): Result {
    return asUser(this.#options.uid, work);
  }

  /** Counts a transfer until the returned function is called. Further calls have no effect. */
  #beginTransfer(): () => void {
    if (this.#transfers === maxTransfers) throw new FileError('too-many');
    this.#transfers += 1;
    let over = false;
    return () => {
      if (!over) this.#transfers -= 1;
      over = true;
    };
  }

  async #receive(content: Readable, directory: FileHandle, name: string): Promise<void> {
    const partial = inside(directory, `.upload-${randomBytes(8).toString('hex')}`);
    const bounds = { signal: this.#closing.signal, stallMs: this.#options.stallMs ?? stallMs };
    try {
      const descriptor = this.#asUser(() => openSync(partial, toCreate, 0o600));
      await receiveFile(content, descriptor, bounds);
      this.#asUser(() => renameSync(partial, inside(directory, name)));
    } catch (error) {
      this.#asUser(() => removeIfThere(partial));
      throw writeError(error);
    }
  }

  #openFile(path: string): { descriptor: number; bytes: number } {
    let descriptor: number | undefined;
    try {
      descriptor = this.#asUser(() => openSync(path, toRead));
      const stat = fstatSync(descriptor);
      if (stat.isFile()) return { descriptor, bytes: stat.size };
    } catch (cause) {
      throw new FileError('not-found', { cause });
    }
    closeSync(descriptor);
    throw new FileError('not-found');
  }

  #destroyOnClose(content: Readable): void {
    const { signal } = this.#closing;
    const end = () => content.destroy(signal.reason as FileError);
    signal.addEventListener('abort', end);
    content.on('error', () => {}).once('close', () => signal.removeEventListener('abort', end));
    if (signal.aborted) end();
  }

  async #inDirectory<Result>(work: (directory: FileHandle) => Promise<Result>): Promise<Result> {
    this.#closing.signal.throwIfAborted();
    const working = this.#work(work);
    this.#track(working);
    return working;
  }

  async #work<Result>(work: (directory: FileHandle) => Promise<Result>): Promise<Result> {
    await using directory = await this.#options.open().catch((cause) => {
      throw new FileError('not-found', { cause });
    });
    this.#closing.signal.throwIfAborted();
    return await work(directory);
  }

  #track(work: Promise<unknown>): void {
    this.#pending.add(work);
    const forget = () => this.#pending.delete(work);
    work.then(forget, forget);
  }
}

function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  const plain = name === basename(name) && !name.includes('\0') && name !== '.' && name !== '..';
  if (!plain || bytes < nameBytes.min || bytes > nameBytes.max || unfinished.test(name)) {
    throw new FileError('bad-name');
  }
}

/** Refuses a file that is too large before reading any of it. */
async function checkRoom(directory: FileHandle, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(inside(directory));
  if (bytes > bavail * bsize) throw new FileError('no-room');
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was not created, or the browser deleted it.
  }
}

function writeError(cause: unknown): FileError {
  if (cause instanceof FileError) return cause;
  const full = (cause as NodeJS.ErrnoException).code === 'ENOSPC';
  return new FileError(full ? 'no-room' : 'not-written', { cause });
}
