import { Slices } from '@turnpike/process/work/slices';
import type { Protocol } from 'devtools-protocol';
import type { CalledPage } from '../called-page.ts';
import { PageError } from '../page-error.ts';
import { type KeptNode, keepNode, treeOf } from './accessibility-tree.ts';
import { splitArray } from './split-array.ts';

/** Chromium describes a node with about a kilobyte. */
const maxTreeBytes = 16 * 2 ** 20;
const maxNodes = 20_000;
/** Depths that are tried for a page whose whole tree is too large. */
const depths = [undefined, 30, 15, 8] as const;

/** The accessibility tree as JSON. */
export async function readAccessibility(page: CalledPage): Promise<Uint8Array> {
  for (const depth of depths) {
    try {
      const tree = await readTree(page, depth);
      if (depth !== undefined)
        page.events.warn(`The accessibility tree is too large. It ends after ${depth} levels.`);
      return Buffer.from(JSON.stringify(tree ?? null));
    } catch (error) {
      if (!(error instanceof PageError) || error.code !== 'PAGE_TOO_LARGE') throw error;
    }
  }
  throw new PageError('PAGE_TOO_LARGE', 'The accessibility tree of the page is too large.');
}

async function readTree({ devtools, events }: CalledPage, depth: number | undefined) {
  using answer = await devtools.sendForBytes(
    'Accessibility.getFullAXTree',
    depth === undefined ? {} : { depth },
    maxTreeBytes,
  );
  const nodes = new Map<string, KeptNode>();
  const slices = new Slices();
  const start = answer.bytes.indexOf('[', 0, 'latin1');
  for (const text of splitArray(answer.bytes, start)) {
    if (nodes.size === maxNodes) {
      events.warn(`The accessibility tree has more than ${maxNodes} nodes. The rest is left out.`);
      break;
    }
    const node = JSON.parse(text.toString()) as Protocol.Accessibility.AXNode;
    nodes.set(node.nodeId, keepNode(node));
    await slices.pause();
  }
  return treeOf(nodes);
}
