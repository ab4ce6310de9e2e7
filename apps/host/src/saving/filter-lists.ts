import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { HostError } from '@turnpike/contract/host';
import type { ListKind } from './blocked-types.ts';
import { FilterList, type Library, type ListToRead, type ReadList } from './filter-list.ts';

/** The kinds of `block`, and the banners that page calls hide. */
export type FilterListKind = ListKind | 'banners';

/** The files of each kind, as the operator has named them. */
export type FilterListFiles = Readonly<Partial<Record<FilterListKind, readonly string[]>>>;

/** For lists of a hundred thousand rules it takes about a second. */
const maxReadMs = 60_000;
const maxHeapMiB = 1024;

interface Loaded {
  /** Tells whether the files have changed since. */
  version: string;
  list: Promise<FilterList>;
}

/** The host's filter lists. Each is read when the first session needs it, and again when its files have changed. */
export class FilterLists {
  readonly #files: FilterListFiles;
  readonly #loaded = new Map<FilterListKind, Loaded>();
  #library: Promise<Library> | undefined;

  constructor(files: FilterListFiles) {
    this.#files = files;
    // Ahead of sessions: it takes a tenth of a second, in which nothing else happens.
    if (Object.keys(files).length > 0) this.#import().catch(() => {}); // `load` reports it.
  }

  async load(kind: FilterListKind): Promise<FilterList> {
    const paths = this.#files[kind];
    if (!paths)
      throw new HostError('NO_FILTER_LIST', `has ${kind}, for which this service has no filter list`);
    try {
      const version = await versionOf(paths);
      let loaded = this.#loaded.get(kind);
      if (loaded?.version !== version) {
        loaded = { version, list: this.#read(kind, paths) };
        this.#loaded.set(kind, loaded);
      }
      return await loaded.list;
    } catch (cause) {
      this.#loaded.delete(kind);
      const reason = (cause as Error).message;
      throw new HostError('START_FAILED', `The filter list for ${kind} cannot be read: ${reason}`, { cause });
    }
  }

  async #read(kind: FilterListKind, paths: readonly string[]): Promise<FilterList> {
    const [library, list] = await Promise.all([
      this.#import(),
      readOnThread({ paths, hidesElements: kind === 'banners' }),
    ]);
    return new FilterList(library, list);
  }

  #import(): Promise<Library> {
    this.#library ??= import('@ghostery/adblocker');
    return this.#library;
  }
}

async function versionOf(paths: readonly string[]): Promise<string> {
  const stats = await Promise.all(paths.map((path) => stat(path)));
  return stats.map(({ mtimeMs, size }) => `${mtimeMs} ${size}`).join();
}

async function readOnThread(workerData: ListToRead): Promise<ReadList> {
  const worker = new Worker(new URL('./filter-list-thread.ts', import.meta.url), {
    workerData,
    name: 'filter-list',
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<ReadList>();
  worker.on('message', resolve);
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the thread that reads it ended')));
  const timer = setTimeout(() => reject(new Error(`it took longer than ${maxReadMs} ms`)), maxReadMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
