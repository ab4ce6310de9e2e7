/*
 * Making elements of text. A page's policy on trusted types forbids it, in isolated worlds too (seen in Chromium 156), but
 * not with `setHTML`, which leaves out scripts.
 */

/** Elements that have the method of the HTML Sanitizer API. */
interface WithSetHtml extends Element {
  setHTML(html: string, options: { sanitizer: object }): void;
}

/** The body of a document without a window, so that nothing of it loads. */
export function parsedHtml(html: string): Element {
  const { body } = document.implementation.createHTMLDocument('');
  setHtml(body, html);
  return body;
}

function setHtml(element: Element, html: string): void {
  (element as WithSetHtml).setHTML(html, { sanitizer: {} });
}

/**
 * Calls a function in which `innerHTML` and `DOMParser` work under any policy. What is changed for that is this world's
 * own: the page has other prototypes.
 */
export function withParsing<T>(call: () => T): T {
  const setter = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML') as PropertyDescriptor;
  const { parseFromString } = DOMParser.prototype;
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...setter,
    set(this: Element, html: string) {
      setHtml(this, html);
    },
  });
  DOMParser.prototype.parseFromString = (html) => parsedHtml(html).ownerDocument;
  try {
    return call();
  } finally {
    Object.defineProperty(Element.prototype, 'innerHTML', setter);
    DOMParser.prototype.parseFromString = parseFromString;
  }
}
