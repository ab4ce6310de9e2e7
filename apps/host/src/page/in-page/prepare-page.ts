// biome-ignore-all lint/correctness/noUnusedVariables: called by name, see page-script.ts.

/* Waits and changes that a caller asks for before the page is read. */

const lookEveryMs = 50;

const pauseFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves with whether the element came in time: there, visible, or gone. */
async function waitForElement(
  selector: string,
  wanted: 'there' | 'visible' | 'hidden',
  timeoutMs: number,
): Promise<string> {
  document.querySelector(selector); // Throws at once if it is no selector.
  const endsAt = performance.now() + timeoutMs;
  const isThere = () => {
    const element = document.querySelector(selector);
    if (wanted === 'hidden') return !element || !isVisible(element);
    return element !== null && (wanted === 'there' || isVisible(element));
  };
  while (!isThere()) {
    if (performance.now() >= endsAt) return 'late';
    await pauseFor(lookEveryMs);
  }
  return 'there';
}

/** Adds a script or a style, and resolves when it has loaded. */
function addTag(
  tag: 'script' | 'style',
  attributes: { content?: string; url?: string; type?: string },
): Promise<string> {
  const { content, url, type } = attributes;
  const parent = document.head ?? document.documentElement;
  const element = document.createElement(tag === 'style' && url !== undefined ? 'link' : tag);
  if (element instanceof HTMLScriptElement && type !== undefined) element.type = type;
  if (element instanceof HTMLLinkElement) Object.assign(element, { rel: 'stylesheet', href: url });
  else if (element instanceof HTMLScriptElement && url !== undefined) element.src = url;
  else element.textContent = content ?? '';
  if (url === undefined) {
    parent.append(element);
    return Promise.resolve('added');
  }
  return new Promise((resolve) => {
    element.addEventListener('load', () => resolve('added'), { once: true });
    element.addEventListener('error', () => resolve('failed'), { once: true });
    parent.append(element);
  });
}

/** The ids and classes of a page, as JSON; as many as the length allows. */
function elementNames(maxLength: number): string {
  const ids = new Set<string>();
  const classes = new Set<string>();
  let rest = maxLength;
  for (const element of document.querySelectorAll('[id], [class]')) {
    if (rest <= 0) break;
    const own = [...element.classList].filter((name) => !classes.has(name));
    for (const name of own) classes.add(name);
    const id = ids.has(element.id) ? '' : element.id;
    if (id !== '') ids.add(id);
    rest -= own.join('').length + id.length;
  }
  return JSON.stringify({ ids: [...ids], classes: [...classes] });
}

/**
 * Adds a filter list's style, which no content security policy forbids, and removes what it hides, so that it is not in
 * the text either. A line has one selector; the last one of a rule has the style behind it. A selector that Chromium does
 * not know is left out alone.
 */
function removeHidden(style: string): string {
  const sheet = new CSSStyleSheet();
  let selectors: string[] = [];
  for (const line of style.split('\n')) {
    const at = line.endsWith(',') ? line.length - 1 : line.lastIndexOf(' { ');
    if (at < 0) continue;
    selectors.push(line.slice(0, at));
    if (line.endsWith(',')) continue;
    for (const selector of selectors) {
      try {
        sheet.insertRule(selector + line.slice(at));
        if (!line.includes('display: none', at)) continue;
        for (const element of document.querySelectorAll(selector)) element.remove();
      } catch {}
    }
    selectors = [];
  }
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return 'done';
}

/** Scrolls to the end, then back. Resolves with `!<pixels>` if a limit was reached. */
async function scrollDown(limits: { steps: number; pixels: number; ms: number }): Promise<string> {
  const root = document.scrollingElement ?? document.documentElement;
  const endsAt = performance.now() + limits.ms;
  const isOver = () => root.scrollTop + innerHeight >= root.scrollHeight - 2;
  let result = 'done';
  let stillAtEnd = 0;
  for (let step = 0; stillAtEnd < 3; step += 1) {
    if (step >= limits.steps || root.scrollTop >= limits.pixels || performance.now() >= endsAt) {
      result = `!${Math.round(root.scrollTop + innerHeight)}`;
      break;
    }
    scrollBy({ top: innerHeight, behavior: 'instant' });
    await pauseFor(lookEveryMs);
    stillAtEnd = isOver() ? stillAtEnd + 1 : 0;
  }
  scrollTo({ top: 0, behavior: 'instant' });
  return result;
}
