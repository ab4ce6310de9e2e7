import { PieceIndex, pieceSizes, type Range } from './piece-index.ts';

/** Shorter texts are not looked for: they would be found everywhere. */
const minLength = pieceSizes[0];
export const maxSecretLength = 4096;
/** What is remembered of what was found during a session: how many, and the characters of all their forms. */
const maxSecrets = 512;
const maxCharacters = 2 ** 19;

export const masked = '•••';

/** Text that is the same in URLs, JSON and HTML. */
const plainText = /^[\w.-]*$/;

/**
 * Texts that may not be recorded, in the forms in which they occur. Each is looked for by its pieces, so that the time
 * grows with the length of a text only, whatever the secrets and the text are: both may come from a page. The oldest
 * are forgotten for new ones, and a new one costs what its own length costs.
 */
export class SecretSet {
  readonly #kept = new Set<string>();
  /** The pieces of those that were found, oldest first. */
  readonly #found = new Map<string, { pieces: readonly string[]; characters: number }>();
  readonly #index = new PieceIndex();
  #characters = 0;

  /** `kept`: never forgotten. */
  constructor(kept: readonly (string | undefined)[] = []) {
    for (const secret of kept) {
      if (secret === undefined || secret.length < minLength) continue;
      this.#kept.add(secret);
      for (const piece of piecesOf(formsOf(secret))) this.#index.add(piece);
    }
  }

  /** Returns how many characters its forms have if it is new, otherwise 0. */
  learn(secret: string): number {
    if (secret.length < minLength || secret.length > maxSecretLength || secret.includes(masked)) return 0;
    if (this.#kept.has(secret) || this.#found.has(secret)) return 0;
    const own = ownCopy(secret);
    const forms = formsOf(own);
    const pieces = piecesOf(forms);
    const characters = forms.reduce((sum, form) => sum + form.length, 0);
    for (const piece of pieces) this.#index.add(piece);
    this.#found.set(own, { pieces, characters });
    this.#characters += characters;
    while (this.#found.size > maxSecrets || this.#characters > maxCharacters) this.#forgetOldest();
    return characters;
  }

  /** How many are remembered of those that were found, and the characters of all their forms. */
  get size(): { secrets: number; characters: number } {
    return { secrets: this.#found.size, characters: this.#characters };
  }

  isIn(text: string): boolean {
    return this.#index.isIn(text);
  }

  /** Returns where secrets are, in order. */
  find(text: string): Range[] {
    return this.#index.find(text);
  }

  /** Returns the text with a mask in place of each secret. */
  scrub(text: string): string {
    return maskRanges(text, this.find(text));
  }

  #forgetOldest(): void {
    for (const [secret, { pieces, characters }] of this.#found) {
      for (const piece of pieces) this.#index.delete(piece);
      this.#found.delete(secret);
      this.#characters -= characters;
      return;
    }
  }
}

/** Puts a mask in place of ranges, which are in order and may overlap. */
export function maskRanges(text: string, ranges: readonly Range[]): string {
  let clean = '';
  let at = -1;
  for (const { start, end } of ranges) {
    if (start > at) clean += text.slice(Math.max(at, 0), start) + masked;
    at = Math.max(at, end);
  }
  return at === -1 ? text : clean + text.slice(at);
}

/** The secret as it is, in JSON, in URLs and forms, in HTML, and in base64. */
function formsOf(secret: string): string[] {
  const text = secret.toWellFormed();
  const base64 = Buffer.from(text).toString('base64').replaceAll('=', '');
  if (plainText.test(secret)) return [secret, base64];
  const inUrl = encodeURIComponent(text);
  const inForm = new URLSearchParams({ '': text }).toString().slice(1);
  const forms = new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    inUrl,
    encodeURI(text),
    inForm,
    ...[inUrl, inForm].map((form) => form.replace(/%../g, (byte) => byte.toLowerCase())),
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    base64,
  ]);
  return [...forms];
}

function piecesOf(forms: readonly string[]): string[] {
  return forms.flatMap((form) => {
    const size = pieceSizes.findLast((one) => one <= form.length);
    if (size === undefined) return [];
    const pieces = [form.slice(-size)];
    for (let at = 0; at + size < form.length; at += size) pieces.push(form.slice(at, at + size));
    return pieces;
  });
}

/** A copy, because a part of a text would keep all of it in memory. */
const ownCopy = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
