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
