import type { FileHandle } from 'node:fs/promises';
import type { ArchiveResult, SaveResult } from '@turnpike/contract/host';
import type { Browser } from '../chromium/browser.ts';
import { insideHome, profileDirectory } from '../sandbox/inside-paths.ts';
import { openBelow } from '../sandbox/open-directory.ts';
import { cacheFiles } from './cache-files.ts';
import { type KeptFiles, profileFiles } from './kept-files.ts';
import { ArchiveTooLarge, packProfile } from './pack-profile.ts';

/** Time for the browser to write its memory to the profile and quit. */
const quitMs = 15_000;
const packMs = 15_000;

const belowHome = profileDirectory.slice(insideHome.length);

/** The largest archives that a session may leave; undefined if it leaves none. */
export interface ArchiveLimits {
  profile: number | undefined;
  cache: number | undefined;
}

export const notAsked: ArchiveResult = { notSaved: 'the session was not opened to save one' };

/** Quits a browser and packs what is saved of its profile. The open directory keeps the sandbox's files until then. */
export async function saveProfile(
  browser: Browser,
  { profile: profileBytes, cache: cacheBytes }: ArchiveLimits,
): Promise<SaveResult> {
  const left = (profile: ArchiveResult, cache = profile): SaveResult => ({
    ...(profileBytes === undefined ? notAsked : profile),
    ...(cacheBytes === undefined ? {} : { cache }),
  });
  try {
    await using home = await browser.openHome();
    await using directory = await openBelow(home, belowHome);
    if (!(await browser.quit(quitMs))) return left({ notSaved: 'the browser did not quit in order' });
    const profile =
      profileBytes === undefined ? notAsked : await pack(directory, async () => profileFiles, profileBytes);
    const cache =
      cacheBytes === undefined
        ? notAsked
        : await pack(directory, () => cacheFiles(directory, cacheBytes), cacheBytes);
    return left(profile, cache);
  } catch {
    return left(unreadable);
  }
}

const unreadable: ArchiveResult = { notSaved: 'it could not be read' };

async function pack(
  directory: FileHandle,
  choose: () => Promise<KeptFiles>,
  maxBytes: number,
): Promise<ArchiveResult> {
  try {
    const archive = await packProfile(directory, await choose(), maxBytes, AbortSignal.timeout(packMs));
    return { archive: archive.toString('base64') };
  } catch (error) {
    if (error instanceof ArchiveTooLarge) return { notSaved: `it is larger than ${maxBytes} bytes` };
    return unreadable;
  }
}
