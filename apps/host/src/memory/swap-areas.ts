import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** `private`: what is swapped never reaches a disk in clear. With `open`, the area that lets it. */
export type SwapState = { kind: 'none' } | { kind: 'private' } | { kind: 'open'; area: string };

/**
 * Whether this machine has swap, and whether tenants' memory may go there: to memory (zram) or to an encrypted device.
 * One area that is neither decides, because the kernel may choose any.
 */
export function readSwap(root = ''): SwapState {
  const areas = swapAreas(readText(`${root}/proc/swaps`));
  if (areas.length === 0) return { kind: 'none' };
  const open = areas.find((area) => !isPrivate(root, area));
  return open === undefined ? { kind: 'private' } : { kind: 'open', area: open };
}

/** proc_swaps(5): a heading, then a line for each area that begins with its path. */
function swapAreas(text: string): string[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(/\s/, 1).filter(Boolean));
}

function isPrivate(root: string, area: string): boolean {
  const device = `${root}/sys/block/${basename(area)}`;
  // A zram device may write what it does not use to a disk.
  if (/^\/dev\/zram\d+$/.test(area)) return ['', 'none'].includes(readText(`${device}/backing_dev`).trim());
  const mapped = /^\/dev\/dm-\d+$/.test(area) && existsSync(`${device}/dm/uuid`);
  return mapped && readText(`${device}/dm/uuid`).startsWith('CRYPT-');
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
