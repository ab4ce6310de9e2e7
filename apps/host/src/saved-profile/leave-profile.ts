import type { LeftProfile } from '@turnpike/contract/host';
import type { Browser } from '../chromium/browser.ts';
import { profileDirectory } from '../chromium/new-profile.ts';
import { openBelow } from '../sandbox/open-directory.ts';
import { insideHome } from '../sandbox/sandbox-arguments.ts';
import { ArchiveTooLarge, packProfile } from './pack-profile.ts';

/** For the browser to write what it has in memory, and to quit. */
const quitMs = 15_000;
const packMs = 15_000;

const belowHome = profileDirectory.slice(insideHome.length);

/**
 * Quits a browser and packs what is saved of its profile. Its scratch goes with its sandbox, but not while the
 * directory is open here.
 */
export async function leaveProfile(browser: Browser, maxBytes: number): Promise<LeftProfile> {
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
