// biome-ignore-all lint/correctness/noUnusedVariables: called by name, see page-script.ts.

/*
 * What is read of a page is read here: in the page, in a world of its own, so the time and the memory are the session's.
 * Each answer is base64 of UTF-8, which the host passes on without reading it, or begins with `!`.
 */

/** `maxBytes`: of UTF-8. */
function encoded(text: string, maxBytes: number): string {
  if (text.length > maxBytes) return '!large';
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > maxBytes) return '!large';
  return (bytes as Uint8Array & { toBase64(): string }).toBase64();
}

function doctype(): string {
  return document.doctype ? `${new XMLSerializer().serializeToString(document.doctype)}\n` : '';
}

/** The HTML of the document, or of the first element that the selector finds. */
function readHtml(selector: string | undefined, asJson: boolean, maxBytes: number): string {
  if (selector === undefined) {
    const html = doctype() + (document.documentElement?.outerHTML ?? '');
    return encoded(asJson ? JSON.stringify(html) : html, maxBytes);
  }
  const element = document.querySelector(selector);
  if (!element) return '!missing';
  return encoded(asJson ? JSON.stringify(element.outerHTML) : element.outerHTML, maxBytes);
}

/** Where an element is in the document, in CSS pixels. */
function boxOf(selector: string): string {
  const element = document.querySelector(selector);
  if (!element) return '!missing';
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { x, y, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return '!empty';
  return JSON.stringify({ x: x + scrollX, y: y + scrollY, width, height });
}

function isVisible(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true });
}

/** Absolute addresses of links, each once, in the order of the document. */
function readLinks(visibleOnly: boolean, maxBytes: number): string {
  const links = new Set<string>();
  for (const element of document.querySelectorAll<HTMLAnchorElement>('a[href], area[href]')) {
    const { href } = element;
    if (typeof href === 'string' && /^https?:/.test(href) && (!visibleOnly || isVisible(element)))
      links.add(href);
  }
  return encoded(JSON.stringify([...links]), maxBytes);
}

interface ScrapedElement {
  html: string;
  text: string;
  attributes: { name: string; value: string }[];
  height: number;
  width: number;
  top: number;
  left: number;
}

function scraped(element: Element): ScrapedElement {
  const { height, width, top, left } = element.getBoundingClientRect();
  return {
    html: element.innerHTML,
    // biome-ignore lint/performance/useDomNodeTextContent: what people see, as Browserless and Cloudflare answer it.
    text: element instanceof HTMLElement ? element.innerText : (element.textContent ?? ''),
    attributes: Array.from(element.attributes, ({ name, value }) => ({ name, value })),
    height,
    width,
    top,
    left,
  };
}

/** The elements of each selector. Stops where the answer would be too large, before it is made. */
function readElements(selectors: string[], maxBytes: number): string {
  let characters = 0;
  const found: { selector: string; results: ScrapedElement[] }[] = [];
  for (const selector of selectors) {
    const results: ScrapedElement[] = [];
    found.push({ selector, results });
    for (const element of document.querySelectorAll(selector)) {
      const result = scraped(element);
      characters += result.html.length + result.text.length + 100;
      if (characters > maxBytes) return '!large';
      results.push(result);
    }
  }
  return encoded(JSON.stringify(found), maxBytes);
}

interface ExtractedMarkdown {
  markdown: string;
  truncated?: boolean;
}

/** `~` before the base64: a limit was reached. */
function encodedMarkdown(
  { markdown, truncated }: ExtractedMarkdown,
  asJson: boolean,
  maxBytes: number,
): string {
  const text = encoded(asJson ? JSON.stringify(markdown) : markdown, maxBytes);
  return truncated ? `~${text}` : text;
}

function readMarkdown(
  extract: (options: object) => ExtractedMarkdown,
  options: object,
  asJson: boolean,
  maxBytes: number,
): string {
  return encodedMarkdown(extract(options), asJson, maxBytes);
}

/** Of the PDF that the page shows. */
async function readPdfMarkdown(
  extract: (chunks: string[], options: object) => Promise<ExtractedMarkdown>,
  options: object,
  asJson: boolean,
  maxBytes: number,
): Promise<string> {
  const base64 = await refetch(maxBytes);
  if (base64.startsWith('!')) return base64;
  return encodedMarkdown(await extract([base64], options), asJson, maxBytes);
}

/** The bytes of the document, asked for again: the browser keeps none of a file that it shows by a viewer. */
async function refetch(maxBytes: number): Promise<string> {
  const response = await fetch(location.href, { credentials: 'include', cache: 'force-cache' });
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > maxBytes) return '!large';
  return (bytes as Uint8Array & { toBase64(): string }).toBase64();
}
