export interface PageCopy {
  /** Without a window, so that nothing in it loads or runs. */
  document: Document;
  /** Characters of text that are no white space. */
  characters: number;
  /** Whether a limit was reached. */
  truncated: boolean;
}

export interface CopyOptions {
  /** Also what the page does not show. */
  withHidden: boolean;
  /** Also the content of frames of the same origin. */
  withFrames: boolean;
}

const maxNodes = 250_000;
const maxCharacters = 8 * 2 ** 20;
/** Elements that are nested deeper are put beside each other. */
const maxDepth = 200;

const dropped = new Set(
  'style,template,link,meta,base,title,object,embed,applet,param,datalist,optgroup,option,select,textarea,canvas'.split(
    ',',
  ),
);
const keptHead =
  'title, meta, link[rel~="canonical"], link[rel~="icon"], script[type="application/ld+json"], base';

/**
 * Copies what a page shows into a document of its own. Shadow trees become ordinary elements. What the copy cannot know
 * without styles is written into it: what is a block, where lines break, which image was chosen.
 */
export function copyPage(page: Document, options: CopyOptions): PageCopy {
  const copy = page.implementation.createHTMLDocument('');
  const state: CopyState = { copy, options, nodes: 0, characters: 0, truncated: false };
  for (const { name, value } of page.documentElement.attributes)
    setAttribute(copy.documentElement, name, value);
  copy.head.replaceChildren();
  const base = copy.createElement('base');
  base.href = page.baseURI;
  copy.head.append(base);
  for (const element of [...(page.head?.querySelectorAll(keptHead) ?? [])].slice(0, 1000)) {
    if (element.localName !== 'base') copy.head.append(copy.importNode(element, true));
  }
  if (page.body) {
    for (const { name, value } of page.body.attributes) setAttribute(copy.body, name, value);
    copyChildren(state, page.body, copy.body);
  }
  return { document: copy, characters: state.characters, truncated: state.truncated };
}

interface CopyState {
  copy: Document;
  options: CopyOptions;
  nodes: number;
  characters: number;
  truncated: boolean;
}

interface Pending {
  node: Node;
  target: Element;
  depth: number;
  /** Whether line ends of the text are shown. */
  breaksLines: boolean;
  visible: boolean;
  /** Whether white space of code is kept. */
  code: boolean;
}

/** Without recursion: a page can nest elements deeper than the stack is. */
function copyChildren(state: CopyState, from: Element, to: Element): void {
  const pending: Pending[] = [];
  pushAll(pending, [...from.childNodes], {
    target: to,
    depth: 0,
    breaksLines: false,
    visible: true,
    code: false,
  });
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (++state.nodes > maxNodes || state.characters > maxCharacters) {
      state.truncated = true;
      return;
    }
    if (next.node.nodeType === Node.TEXT_NODE) copyText(state, next);
    else if (next.node.nodeType === Node.ELEMENT_NODE) copyElement(state, next, pending);
  }
}

function pushAll(pending: Pending[], nodes: readonly Node[], rest: Omit<Pending, 'node'>): void {
  for (let index = nodes.length - 1; index >= 0; index--)
    pending.push({ node: nodes[index] as Node, ...rest });
}

function copyText(state: CopyState, { node, target, breaksLines, visible }: Pending): void {
  if (!visible) return;
  const text = node.nodeValue ?? '';
  state.characters += countCharacters(text);
  if (!breaksLines || !text.includes('\n')) {
    target.append(text);
    return;
  }
  for (const [index, line] of text.trim().split('\n').entries()) {
    if (index > 0) target.append(state.copy.createElement('br'));
    target.append(line);
  }
}

/** Characters that are no white space. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 32) count++;
  return count;
}

function copyElement(state: CopyState, at: Pending, pending: Pending[]): void {
  const element = at.node as HTMLElement;
  const name = element.localName;
  if (dropped.has(name)) return;
  if (name === 'script') {
    if (/^math\/|ld\+json/.test(element.getAttribute('type') ?? '')) {
      at.target.append(state.copy.importNode(element, true));
    }
    return;
  }
  if (name === 'noscript' || name === 'svg' || name === 'math') {
    if (name !== 'svg') at.target.append(state.copy.importNode(element, true));
    return;
  }
  const style = getComputedStyle(element);
  if (style.display === 'none' && !state.options.withHidden && !holdsMath(element)) return;
  if (name === 'frame' || name === 'iframe') {
    copyFrame(state, at, pending, element as HTMLIFrameElement);
    return;
  }
  const made = makeElement(state, element, style.display);
  at.target.append(made);
  const tree = openShadow(element);
  const children = tree ? [...tree.childNodes] : slotted(element);
  const code = at.code || name === 'pre' || name === 'code';
  // Children of a flex box stand apart, though no white space is between them.
  const apart = !code && /flex|grid/.test(style.display) && children.length > 1;
  const rest = {
    target: at.depth < maxDepth ? made : at.target,
    depth: at.depth + 1,
    breaksLines: !code && /^(?:pre|break-spaces)/.test(style.whiteSpace),
    visible: state.options.withHidden || style.visibility === 'visible',
    code,
  };
  pushAll(
    pending,
    apart ? children.flatMap((child) => [child, document.createTextNode(' ')]) : children,
    rest,
  );
}

/** Wikipedia hides the MathML of a formula that it shows as an image. */
function holdsMath(element: Element): boolean {
  return element.childElementCount === 1 && element.firstElementChild?.localName === 'math';
}

function openShadow(element: Element): ShadowRoot | null {
  return element.shadowRoot;
}

/** What a slot shows, and of other elements the children. */
function slotted(element: Element): Node[] {
  if (element.localName === 'slot') {
    const assigned = (element as HTMLSlotElement).assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return [...element.childNodes];
}

const inlineNames = new Set(
  'span,font,b,i,em,strong,small,big,u,label,bdi,bdo,ins,slot,time,cite,abbr,data,output,button'.split(','),
);

/** A copy without children. A custom element, or an inline one that is shown as a block, becomes a plain one. */
function makeElement({ copy }: CopyState, element: HTMLElement, display: string): Element {
  const name = element.localName;
  const custom = name.includes('-') && !name.startsWith('mjx-');
  const isBlock = !display.startsWith('inline') && display !== 'contents';
  let made: Element;
  if (
    custom ||
    (inlineNames.has(name) && isBlock && name !== 'button') ||
    name === 'slot' ||
    name === 'frameset'
  ) {
    made = copy.createElement(isBlock ? 'div' : 'span');
    for (const attribute of element.attributes) setAttribute(made, attribute.name, attribute.value);
  } else {
    made = copy.importNode(element, false);
  }
  if (name === 'img') describeImage(element as HTMLImageElement, made);
  else if (name === 'input' && (element as HTMLInputElement).checked) made.setAttribute('checked', '');
  return made;
}

function describeImage(image: HTMLImageElement, made: Element): void {
  const { currentSrc, naturalWidth, naturalHeight, complete } = image;
  if (!complete || naturalWidth === 0) return;
  if (/^https?:/.test(currentSrc)) made.setAttribute('src', currentSrc);
  if (naturalWidth <= 2 && naturalHeight <= 2) {
    made.setAttribute('width', String(naturalWidth));
    made.setAttribute('height', String(naturalHeight));
  }
}

function copyFrame(state: CopyState, at: Pending, pending: Pending[], frame: HTMLIFrameElement): void {
  const body = state.options.withFrames ? frameBody(frame) : undefined;
  if (body) {
    const made = state.copy.createElement('div');
    at.target.append(made);
    const { breaksLines, visible, code, depth } = at;
    const target = depth < maxDepth ? made : at.target;
    pushAll(pending, [...body.childNodes], { target, depth: depth + 1, breaksLines, visible, code });
  } else if (frame.localName === 'frame') {
    const made = state.copy.createElement('p');
    const link = state.copy.createElement('a');
    link.href = frame.src;
    link.textContent = frame.title || frame.name || frame.src;
    made.append(link);
    at.target.append(made);
  } else {
    at.target.append(state.copy.importNode(frame, false));
  }
}

/** Of a frame of another origin there is none. */
function frameBody(frame: HTMLIFrameElement): HTMLElement | undefined {
  try {
    return frame.contentDocument?.body ?? undefined;
  } catch {
    return undefined;
  }
}

/** Pages have attributes with names that only the parser may set. */
function setAttribute(element: Element, name: string, value: string): void {
  try {
    element.setAttribute(name, value);
  } catch {
    // It says nothing.
  }
}
