import type { Protocol } from 'devtools-protocol';

type AXNode = Protocol.Accessibility.AXNode;

/** A node as it is given to the caller. */
export interface AccessibleNode {
  role: string;
  name?: string;
  value?: string | number;
  description?: string;
  [state: string]: unknown;
  children?: AccessibleNode[];
}

/** What is kept of a node until the tree is made. */
export interface KeptNode {
  parentId: string | undefined;
  childIds: readonly string[];
  /** Undefined if the node itself is left out, and its children take its place. */
  shown: AccessibleNode | undefined;
}

/** States that say something by being there. */
const states = new Set([
  ...[
    'busy',
    'checked',
    'disabled',
    'expanded',
    'focused',
    'hidden',
    'invalid',
    'level',
    'modal',
    'multiline',
  ],
  ...[
    'multiselectable',
    'orientation',
    'pressed',
    'readonly',
    'required',
    'roledescription',
    'selected',
    'url',
  ],
  ...['autocomplete', 'haspopup', 'keyshortcuts', 'live', 'valuemin', 'valuemax', 'valuetext'],
]);
const unsaid = new Set<unknown>([false, 'false', '', undefined, null]);
/** Roles that have no meaning without a name. */
const plain = new Set(['generic', 'none', 'presentation', 'LineBreak']);
const maxTextLength = 2000;

export function keepNode({
  ignored,
  role,
  name,
  value,
  description,
  properties,
  childIds,
  parentId,
}: AXNode): KeptNode {
  const kept = { parentId, childIds: childIds ?? [] };
  const roleName = String(role?.value ?? '');
  const nameText = short(name?.value);
  const isBlank = roleName === 'StaticText' && !nameText?.trim();
  if (ignored || isBlank || roleName === 'InlineTextBox' || (plain.has(roleName) && !nameText))
    return { ...kept, shown: undefined };
  const shown: AccessibleNode = { role: roleName };
  if (nameText) shown.name = nameText;
  const valueText = typeof value?.value === 'number' ? value.value : short(value?.value);
  if (valueText !== undefined && valueText !== '') shown.value = valueText;
  const descriptionText = short(description?.value);
  if (descriptionText) shown.description = descriptionText;
  for (const { name: state, value: given } of properties ?? []) {
    if (states.has(state) && !unsaid.has(given.value))
      shown[state] = typeof given.value === 'string' ? short(given.value) : given.value;
  }
  return { ...kept, shown };
}

function short(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const text = String(value);
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
}

/** Joins nodes to a tree, without recursion: a page chooses how deep it is. */
export function treeOf(nodes: ReadonlyMap<string, KeptNode>): AccessibleNode | undefined {
  const [rootId] = nodes.keys();
  if (rootId === undefined) return undefined;
  const top: AccessibleNode = { role: 'none', children: [] };
  const seen = new Set<string>();
  const stack: { id: string; parent: AccessibleNode; depth: number }[] = [
    { id: rootId, parent: top, depth: 0 },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { id, parent, depth } = next;
    const node = nodes.get(id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    const { shown, childIds } = node;
    // A text says again what its parent is called, or what is typed into it.
    const isRepeated = shown?.role === 'StaticText' && [parent.name, parent.value].includes(shown.name);
    if (shown && !isRepeated && depth < maxDepth) {
      parent.children ??= [];
      parent.children.push(shown);
    }
    const below = shown && depth < maxDepth ? shown : parent;
    for (const childId of childIds.toReversed())
      stack.push({ id: childId, parent: below, depth: shown ? depth + 1 : depth });
  }
  return top.children?.[0];
}

/** Deeper nodes are left out: who reads the answer may have to recurse. */
const maxDepth = 200;
