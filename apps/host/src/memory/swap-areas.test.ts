import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchDirectory } from '../../../../tests/fixtures/process/scratch-directory.ts';
import { readSwap } from './swap-areas.ts';

const heading = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';
const line = (area: string) => `${area}   partition\t1048572\t\t0\t\t-2\n`;

async function swapWith(areas: readonly string[], files: Record<string, string> = {}) {
  await using root = await scratchDirectory('swap');
  const all = { 'proc/swaps': heading + areas.map(line).join(''), ...files };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root.path, name)), { recursive: true });
    writeFileSync(join(root.path, name), content);
  }
  return readSwap(root.path);
}

test('memory may go to zram and to encrypted devices', async () => {
  expect(await swapWith([])).toEqual({ kind: 'none' });
  expect(await swapWith(['/dev/zram0'], { 'sys/block/zram0/backing_dev': 'none\n' })).toEqual({
    kind: 'private',
  });
  const encrypted = { 'sys/block/dm-1/dm/uuid': 'CRYPT-PLAIN-swap\n' };
  expect(await swapWith(['/dev/zram3', '/dev/dm-1'], encrypted)).toEqual({ kind: 'private' });
});

test('one area that shows it to a disk is enough to keep it in memory', async () => {
  const open = { kind: 'open' };
  for (const area of ['/swapfile', '/dev/sda2', '/dev/dm-1', '/home/zram0', '/dev/zram0/../sda'])
    expect(await swapWith(['/dev/zram0', area])).toMatchObject({ ...open, area });
  const written = { 'sys/block/zram0/backing_dev': '/dev/sdb\n' };
  expect(await swapWith(['/dev/zram0'], written)).toMatchObject(open);
  const volume = { 'sys/block/dm-0/dm/uuid': 'LVM-abc\n' };
  expect(await swapWith(['/dev/dm-0'], volume)).toMatchObject(open);
});
