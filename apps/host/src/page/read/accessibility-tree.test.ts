import type { Protocol } from 'devtools-protocol';
import { expect, it } from 'vitest';
import { keepNode, treeOf } from './accessibility-tree.ts';

type AXNode = Protocol.Accessibility.AXNode;

const node = (
  nodeId: string,
  role: string,
  name: string,
  childIds: string[] = [],
  more: Partial<AXNode> = {},
): AXNode => ({
  nodeId,
  ignored: false,
  role: { type: 'role', value: role },
  name: { type: 'computedString', value: name },
  childIds,
  ...more,
});
const tree = (nodes: AXNode[]) => treeOf(new Map(nodes.map((one) => [one.nodeId, keepNode(one)])));

it('keeps what has a meaning, and puts the children of the rest in its place', () => {
  const checked = { name: 'checked', value: { type: 'tristate', value: 'true' } } as const;
  const disabled = { name: 'disabled', value: { type: 'boolean', value: false } } as const;
  expect(
    tree([
      node('1', 'RootWebArea', 'Title', ['2', '3']),
      node('2', 'generic', '', ['4']),
      node('3', 'none', '', [], { ignored: true }),
      node('4', 'checkbox', 'Yes', ['5'], { properties: [checked, disabled] }),
      node('5', 'StaticText', 'Yes'),
    ]),
  ).toEqual({
    role: 'RootWebArea',
    name: 'Title',
    children: [{ role: 'checkbox', name: 'Yes', checked: 'true' }],
  });
});

it('ends for nodes that contain each other, and for very deep ones', () => {
  expect(tree([node('1', 'a', 'x', ['2']), node('2', 'b', 'y', ['1'])])).toEqual({
    role: 'a',
    name: 'x',
    children: [{ role: 'b', name: 'y' }],
  });
  const deep = Array.from({ length: 10_000 }, (_, index) =>
    node(`${index}`, 'group', `${index}`, [`${index + 1}`]),
  );
  expect(JSON.stringify(tree(deep)).length).toBeGreaterThan(1000);
  expect(tree([])).toBeUndefined();
});
