import { randomUUID } from 'node:crypto';
import { createWriteStream, type Stats } from 'node:fs';
import { lstat, mkdir, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { base64Of, fileIn } from './base64.ts';
import { unpack, zipOf } from './zip.ts';

/** Names of unfinished downloads and uploads: those that the files API does not list either. */
const unfinished = /\.crdownload$|^\.upload-/;

const maxListed = 10_000;

/** The files of the session, as Selenium's endpoints for uploads and downloads see them. */
export class WebdriverFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Unpacks the archive of an upload into a directory of its own, and returns the path of what was in it. */
  async upload(body: AsyncIterable<Buffer>): Promise<string> {
    await mkdir(this.#directory, { recursive: true });
    const archive = join(this.#directory, `.upload-${randomUUID()}`);
    const directory = join(this.#directory, `upload-${randomUUID()}`);
    try {
      await pipeline(fileIn(body), createWriteStream(archive, { flags: 'wx', mode: 0o600 }));
      await mkdir(directory);
      return join(directory, await unpack(archive, directory));
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    } finally {
      await rm(archive, { force: true });
    }
  }

  /** Selenium for Java needs both times, as whole numbers. */
  async list(): Promise<{ name: string; size: number; creationTime: number; lastModifiedTime: number }[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const entries = await Promise.all(
      names
        .filter((name) => !unfinished.test(name))
        .slice(0, maxListed)
        .map(async (name) => ({
          name,
          stat: await lstat(join(this.#directory, name)).catch(() => undefined),
        })),
    );
    return entries.flatMap(({ name, stat }) =>
      stat?.isFile() ? [{ name, size: stat.size, ...timesOf(stat) }] : [],
    );
  }

  /** The file in a ZIP archive, as base64; undefined if there is none of that name. */
  async download(name: string): Promise<AsyncIterable<string> | undefined> {
    const isThere = (await this.list()).some((file) => file.name === name);
    return isThere ? base64Of(zipOf(join(this.#directory, name), name)) : undefined;
  }

  async clear(): Promise<void> {
    for (const { name } of await this.list()) await unlink(join(this.#directory, name)).catch(() => {});
  }
}

const timesOf = ({ birthtimeMs, mtimeMs }: Stats) => ({
  creationTime: Math.trunc(birthtimeMs),
  lastModifiedTime: Math.trunc(mtimeMs),
});
