import type { Attack } from '../attack.ts';
import { devtoolsAttacks } from './devtools.ts';
import { pageAttacks } from './pages.ts';
import { proxyAttacks } from './proxy.ts';
import { readAttacks } from './reads.ts';
import { recordingAttacks } from './recording.ts';

/** All attacks in the order of their rows. */
export const attacks: readonly Attack[] = [
  ...proxyAttacks,
  ...recordingAttacks,
  ...devtoolsAttacks,
  ...readAttacks,
  ...pageAttacks,
].toSorted((a, b) => a.row - b.row);
