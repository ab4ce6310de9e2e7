import type { LeftProfile } from '@turnpike/contract/host';
import type { Browser } from '../chromium/browser.ts';
import { insideHome, profileDirectory } from '../sandbox/inside-paths.ts';
import { openBelow } from '../sandbox/open-directory.ts';
import { ArchiveTooLarge, packProfile } from './pack-profile.ts';

/** Time for the browser to write its memory to the profile and quit. */
const quitMs = 15_000;
const packMs = 15_000;

const belowHome = profileDirectory.slice(insideHome.length);

/** Quits a browser and packs the saved part of its profile. The open directory keeps the sandbox's files until then. */
export async function saveProfile(browser: Browser, maxBytes: number): Promise<LeftProfile> {
  try {
    await using home = await browser.openHome();
    await using directory = await openBelow(home, belowHome);
    if (!(await browser.quit(quitMs))) return { notSaved: 'the browser did not quit in order' };
    const archive = await packProfile(directory, maxBytes, AbortSignal.timeout(packMs));
    return { archive: archive.toString('base64') };
  } catch (error) {
    if (error instanceof ArchiveTooLarge) return { notSaved: `it is larger than ${maxBytes} bytes` };
    return { notSaved: 'it could not be read' };
  }
}
