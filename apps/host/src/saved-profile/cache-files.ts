import { type FileHandle, lstat, readdir } from 'node:fs/promises';
import { inside, openBelow } from '../sandbox/open-directory.ts';
import type { KeptFiles } from './kept-files.ts';

/** Chromium's HTTP cache (`net/disk_cache/simple`): up to three files an entry, named by the hash of its key. */
const directories = ['Default', 'Default/Cache', 'Default/Cache/Cache_Data'] as const;
const cacheDirectory = directories[2];
const entryFile = /^([0-9a-f]{16})_[01s]$/;

/** What a file costs in an archive beside its content. */
const overheadBytes = 1024;
/** More would be more than Chromium's own index of its cache takes. */
const maxEntries = 50_000;

interface CacheEntry {
  files: string[];
  bytes: number;
  usedAt: number;
}

/**
 * The entries of the HTTP cache that were used last, as many as fit. Their sizes are added up uncompressed: most of
 * what sites send is compressed already. Chromium makes a new index of what it finds.
 */
export async function cacheFiles(profile: FileHandle, maxBytes: number): Promise<KeptFiles> {
  const chosen = new Set<string>();
  let left = maxBytes - overheadBytes * (directories.length + 2);
  for (const { files, bytes } of await entriesOf(profile)) {
    if (bytes > left) continue;
    left -= bytes;
    for (const name of files) chosen.add(`${cacheDirectory}/${name}`);
  }
  return {
    has: (path) => chosen.has(path),
    mayHold: (path) => chosen.has(path) || directories.some((directory) => directory === path),
  };
}

/** The last used first. */
async function entriesOf(profile: FileHandle): Promise<CacheEntry[]> {
  const directory = await openBelow(profile, `/${cacheDirectory}`).catch(() => undefined);
  if (!directory) return [];
  await using held = directory;
  const entries = new Map<string, CacheEntry>();
  for (const name of await readdir(inside(held))) {
    const hash = entryFile.exec(name)?.[1];
    if (hash === undefined) continue;
    const stats = await lstat(inside(held, name)).catch(() => undefined);
    if (!stats?.isFile()) continue;
    const entry = entries.get(hash) ?? { files: [], bytes: 0, usedAt: 0 };
    entries.set(hash, entry);
    if (entries.size > maxEntries) break;
    entry.files.push(name);
    entry.bytes += stats.size + overheadBytes;
    entry.usedAt = Math.max(entry.usedAt, stats.atimeMs, stats.mtimeMs);
  }
  return [...entries.values()].sort((one, other) => other.usedAt - one.usedAt);
}
