import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants, type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { inside, openDirectory } from '../sandbox/open-directory.ts';
import { FileError } from './file-error.ts';

/** Where a page, and a client that names files to it, finds them inside the sandbox. */
export const filesDirectory = '/home/user/files';

export interface FileEntry {
  name: string;
  bytes: number;
  modifiedAt: string;
}

/** What a browser writes under until it is done, and we. */
const unfinished = /\.crdownload$|^\.upload-/;
const nameBytes = { min: 1, max: 200 };

/**
 * What a session's browser downloaded and may upload. It lies in the sandbox's own scratch, which a hostile
 * browser may have filled with links to files of the host: so the directory is opened without following a link,
 * names hold no slash, and a file is opened without following one either. What is written is written by the
 * session's own user.
 */
export class SessionFiles {
  readonly #directory: () => Promise<string>;
  readonly #uid: number | undefined;

  /** `directory` is where the host sees it. */
  constructor(directory: () => Promise<string>, uid: number | undefined) {
    this.#directory = directory;
    this.#uid = uid;
  }

  async list(): Promise<FileEntry[]> {
    await using directory = await this.#open();
    const names = (await readdir(inside(directory))).filter((name) => !unfinished.test(name)).sort();
    const entries = await Promise.all(
      names.map(async (name) => ({
        name,
        stat: await lstat(inside(directory, name)).catch(() => undefined),
      })),
    );
    return entries.flatMap(({ name, stat }) =>
      stat?.isFile() ? [{ name, bytes: stat.size, modifiedAt: stat.mtime.toISOString() }] : [],
    );
  }

  /** The caller closes the handle. */
  async read(name: string): Promise<{ handle: FileHandle; bytes: number }> {
    checkName(name);
    await using directory = await this.#open();
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    // Without waiting: what the browser left there may be a pipe.
    const handle = await open(inside(directory, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => {
      throw new FileError('not-found');
    });
    const stat = await handle.stat();
    if (stat.isFile()) return { handle, bytes: stat.size };
    await handle.close();
    throw new FileError('not-found');
  }

  /** Appears whole, under its name, or not at all. */
  async write(name: string, content: Readable): Promise<void> {
    checkName(name);
    await using directory = await this.#open();
    const partial = `.upload-${randomBytes(8).toString('hex')}`;
    const script = [
      'at=/proc/self/fd/3',
      'dd of="$at/$1" conv=excl oflag=nofollow bs=64k status=none && mv -fT "$at/$1" "$at/$2" && exit 0',
      'rm -f "$at/$1"; exit 1',
    ].join('\n');
    const child = spawn('/bin/sh', ['-c', script, 'sh', partial, name], {
      stdio: ['pipe', 'ignore', 'pipe', directory.fd],
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      cwd: '/',
      ...(this.#uid === undefined ? {} : { uid: this.#uid, gid: this.#uid }),
    });
    const { stdin, stderr } = child as ChildProcessWithoutNullStreams;
    let complaint = '';
    stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-500);
    });
    const exited = once(child, 'close');
    let whole = false;
    stdin.on('error', () => {}); // It went before it had all; its exit says why.
    content.once('end', () => {
      whole = true;
    });
    content.once('error', () => {}); // A close follows.
    content.once('close', () => stdin.end());
    content.pipe(stdin);
    const [code] = await exited;
    content.unpipe(stdin);
    if (code === 0 && whole) return;
    // A body that ended early leaves a file that looks whole.
    if (code === 0) await this.remove(name);
    if (code !== 0 && complaint.includes('No space left')) throw new FileError('no-room');
    throw new FileError(code === 0 ? 'cut-off' : 'not-written');
  }

  async remove(name: string): Promise<void> {
    checkName(name);
    await using directory = await this.#open();
    const child = spawn('/bin/rm', ['--', `/proc/self/fd/3/${name}`], {
      stdio: ['ignore', 'ignore', 'ignore', directory.fd],
      env: {},
      cwd: '/',
      ...(this.#uid === undefined ? {} : { uid: this.#uid, gid: this.#uid }),
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new FileError('not-found');
  }

  async #open(): Promise<FileHandle> {
    try {
      return await openDirectory(await this.#directory());
    } catch (cause) {
      throw new FileError('not-found', { cause });
    }
  }
}

function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  const plain = name === basename(name) && !name.includes('\0') && name !== '.' && name !== '..';
  if (!plain || bytes < nameBytes.min || bytes > nameBytes.max || unfinished.test(name)) {
    throw new FileError('bad-name');
  }
}
