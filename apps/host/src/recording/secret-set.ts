import { TextWindow, windowSizes } from './text-window.ts';

/** Shorter texts are not looked for: they would be found everywhere. */
const minLength = windowSizes[0];
const maxLength = 4096;
/** How many of those found during a session are remembered. The oldest are forgotten, some at a time. */
const maxSecrets = 512;
const forgottenAtOnce = 128;

export const masked = '•••';

/**
 * Texts that may not be recorded, in the forms in which they occur. Each is looked for by its pieces, so that the time
 * grows with the length of a text only, whatever the secrets and the text are: both may come from a page.
 */
export class SecretSet {
  readonly #kept = new Set<string>();
  readonly #found = new Set<string>();
  #windows: TextWindow[] = [];

  /** `kept`: never forgotten. */
  constructor(kept: readonly (string | undefined)[] = []) {
    for (const secret of kept) {
      if (secret === undefined || secret.length < minLength) continue;
      this.#kept.add(secret);
      this.#addForms(secret);
    }
  }

  learn(secret: string): void {
    if (secret.length < minLength || secret.length > maxLength || secret.includes(masked)) return;
    if (this.#kept.has(secret) || this.#found.has(secret)) return;
    this.#found.add(secret);
    if (this.#found.size > maxSecrets) this.#forgetOldest();
    else this.#addForms(secret);
  }

  isIn(text: string): boolean {
    return this.#windows.some((window) => window.isIn(text));
  }

  /** Returns the text with a mask in place of each secret. */
  scrub(text: string): string {
    const found = this.#windows.flatMap((window) => window.find(text));
    if (found.length === 0) return text;
    let clean = '';
    let at = 0;
    for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
      if (start > at || clean === '') clean += text.slice(at, start) + masked;
      at = Math.max(at, end);
    }
    return clean + text.slice(at);
  }

  #addForms(secret: string): void {
    for (const form of formsOf(secret)) {
      const size = windowSizes.findLast((one) => one <= form.length);
      if (size === undefined) continue;
      const window = this.#window(size);
      for (let at = 0; at + size < form.length; at += size) window.add(form.slice(at, at + size));
      window.add(form.slice(-size));
    }
  }

  #window(size: number): TextWindow {
    const known = this.#windows.find((window) => window.size === size);
    if (known) return known;
    const window = new TextWindow(size);
    this.#windows.push(window);
    return window;
  }

  #forgetOldest(): void {
    for (const secret of [...this.#found].slice(0, forgottenAtOnce)) this.#found.delete(secret);
    this.#windows = [];
    for (const secret of [...this.#kept, ...this.#found]) this.#addForms(secret);
  }
}

/** The secret as it is, in JSON, in URLs and forms, in HTML, and in base64. */
function formsOf(secret: string): Set<string> {
  const text = secret.toWellFormed();
  const inUrl = encodeURIComponent(text);
  const inForm = new URLSearchParams({ '': text }).toString().slice(1);
  return new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    inUrl,
    encodeURI(text),
    inForm,
    ...[inUrl, inForm].map((form) => form.replace(/%../g, (byte) => byte.toLowerCase())),
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
  ]);
}
