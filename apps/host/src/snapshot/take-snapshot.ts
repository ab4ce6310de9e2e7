import type { SnapshotResult } from '@turnpike/contract/host';
import type { Browser } from '../chromium/browser.ts';
import type { KeptDevice } from '../profile/profile.ts';
import { insideHome, profileDirectory } from '../sandbox/inside-paths.ts';
import { openBelow } from '../sandbox/open-directory.ts';
import { runningFiles } from '../saved-profile/kept-files.ts';
import { ArchiveTooLarge, compress, readFiles } from '../saved-profile/pack-profile.ts';
import type { Targets } from '../targets/targets.ts';
import { readState } from './read-state.ts';
import { joinSnapshot } from './snapshot-state.ts';

/** How long the browser may stand still. Reading takes milliseconds. */
const standStillMs = 2000;
const packMs = 15_000;
/** How much larger than the snapshot its files may be before they are compressed. */
const expansion = 4;

const belowHome = profileDirectory.slice(insideHome.length);

/** Takes a snapshot of a browser that runs on. Its processes are stopped for the moment in which its files are read. */
export async function takeSnapshot(
  browser: Browser,
  targets: Targets,
  device: KeptDevice,
  maxBytes: number,
): Promise<SnapshotResult> {
  try {
    const { state, lost } = await readState(browser.controller, targets, device);
    const blocks = await readStill(browser, maxBytes * expansion);
    const files = await compress(blocks, maxBytes, AbortSignal.timeout(packMs));
    const snapshot = await joinSnapshot(state, files);
    if (snapshot.length > maxBytes) throw new ArchiveTooLarge();
    return { archive: snapshot.toString('base64'), tabs: state.tabs.length, lost };
  } catch (error) {
    if (error instanceof ArchiveTooLarge) return { notSaved: `it is larger than ${maxBytes} bytes` };
    return { notSaved: 'the browser did not answer, or its files could not be read' };
  }
}

async function readStill(browser: Browser, maxBytes: number): Promise<Buffer[]> {
  await using home = await browser.openHome();
  await using directory = await openBelow(home, belowHome);
  using _stopped = await browser.stop();
  return await readFiles(directory, runningFiles, maxBytes, AbortSignal.timeout(standStillMs));
}
