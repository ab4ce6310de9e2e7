import { isSpace, isWord, runEnd } from './characters.ts';
import { decodeValue } from './decode-value.ts';
import { applyEdits, type IsSecretField } from './field-edits.ts';
import { findTokens } from './find-tokens.ts';
import { inputFields } from './input-fields.ts';
import { jsonFields } from './json-fields.ts';
import { multipartFields } from './multipart-fields.ts';
import { masked, maskRanges, maxSecretLength, type SecretSet } from './secret-set.ts';
import { isTelling, looksSecret } from './telling-names.ts';

/** Headers whose values say nothing about who sends them. All others are masked. */
const harmlessHeaders = new Set(
  `accept accept-charset accept-encoding accept-language accept-ranges access-control-allow-credentials
  access-control-allow-headers access-control-allow-methods access-control-allow-origin access-control-expose-headers
  access-control-max-age access-control-request-headers access-control-request-method age allow alt-svc cache-control
  connection content-disposition content-encoding content-language content-length content-range content-type
  cross-origin-embedder-policy cross-origin-opener-policy cross-origin-resource-policy date dnt etag expires host
  if-modified-since if-none-match keep-alive last-modified origin permissions-policy pragma priority purpose range
  referrer-policy retry-after save-data server strict-transport-security timing-allow-origin transfer-encoding
  upgrade upgrade-insecure-requests user-agent vary via x-content-type-options x-frame-options x-requested-with
  x-xss-protection`.split(/\s+/),
);
const harmlessPrefixes = ['sec-ch-', 'sec-fetch-'];
const urlHeaders = new Set(['location', 'referer', 'content-location']);

const maxHeaders = 100;
const maxHeaderNameLength = 100;
const maxHeaderLength = 1000;
const maxUrlLength = 2000;
/** Twice what can be recorded of a body, for what masks make shorter. The rest is not read. */
export const maxReadOfBody = 128 * 1024;
/** A text may become shorter by its masks, so more is read than is kept. */
const readPerKept = 4;

/** What may be read between two refills, in characters. */
const maxRead = 4 * 2 ** 20;
/** New secrets that one text teaches, by the characters of their forms: each costs time. */
const maxTaught = 2 ** 16;
/** What a new secret counts as, beside its forms, and how much each character of them does. */
const [secretCost, formCost] = [500, 4];

const userInfo = /^((?:[a-z][a-z\d+.-]*:)+\/\/)([^/?#]*)@/i;
const urlValues = /([?&#])([^=&#;?/]{1,200})=([^&#;]*)/g;
const pathValues = /(;)([^=&#;?/]{1,200})=([^&#;?/]*)/g;
const nestedName = /[?&#;]([^=&#;?/]{1,200})=/g;
const formValues = /(^|&)([^=&]{1,200})=([^&]*)/g;

/**
 * Takes out of texts what may not be recorded, and learns from what it takes out. Everything is read once or a few times
 * from its start to its end, up to a bound: what is read comes from pages, and others wait meanwhile.
 */
export class Mask {
  readonly #secrets: SecretSet;
  #unread = maxRead;
  /** How much the text that is being read may still teach. */
  #untaught = maxTaught;

  constructor(secrets: SecretSet) {
    this.#secrets = secrets;
  }

  /** Whether enough was read for now. The caller reads nothing more until `refill`. */
  get isSpent(): boolean {
    return this.#unread <= 0;
  }

  /** Allows as much to be read as is read between two calls. Call at regular times. */
  refill(): void {
    this.#unread = maxRead;
  }

  /** Counts what is read elsewhere. */
  spend(characters: number): void {
    this.#unread -= characters;
  }

  /** A text that anybody may have written: a title, a message of the console, an error. */
  text(text: string, maxLength: number): string {
    return cut(this.#clean(text, readPerKept * maxLength), maxLength);
  }

  /** A URL without user and password, and without values whose names say that they are secret. */
  url(url: string): string {
    this.#begin();
    return this.#url(url);
  }

  headers(headers: Readonly<Record<string, unknown>>): Record<string, string> {
    this.#begin();
    const entries = Object.entries(headers).slice(0, maxHeaders);
    return Object.fromEntries(
      entries.map(([name, value]) => [
        this.text(name, maxHeaderNameLength),
        this.#header(name, String(value)),
      ]),
    );
  }

  /** Learns the secrets of headers that are not recorded. */
  learnHeaders(headers: Readonly<Record<string, unknown>>): void {
    this.#begin();
    for (const [name, value] of Object.entries(headers).slice(0, maxHeaders)) {
      this.#learnHeader(name, String(value));
    }
  }

  learnHeader(name: string, value: string): void {
    this.#begin();
    this.#learnHeader(name, value);
  }

  /**
   * The start of the body of a request or response, as text, without the values of fields whose names say that they are
   * secret.
   */
  body(body: string): string {
    this.#begin();
    const read = body.slice(0, maxReadOfBody);
    this.spend(4 * read.length);
    const isSecret: IsSecretField = (name, value) => this.#isSecretValue(name, value);
    let text = isForm(read) ? this.#maskForm(read) : read;
    text = applyEdits(text, multipartFields(text, isSecret));
    text = applyEdits(text, jsonFields(text, isSecret));
    text = applyEdits(
      text,
      inputFields(text, (input) => {
        const isPassword = input.type?.text.toLowerCase() === 'password' || isTelling(input.name?.text ?? '');
        if (isPassword) this.learnSecret(input.value?.text ?? '');
        return isPassword;
      }),
    );
    const clean = this.#clean(text);
    // A secret that goes on where reading ended is not known as one.
    return read.length < body.length ? clean.slice(0, Math.max(0, clean.length - maxSecretLength)) : clean;
  }

  /** Text that a client types. It is never recorded; what looks like a password is not recorded elsewhere either. */
  typed(text: string): void {
    this.#begin();
    this.learnCookieValue(text);
  }

  /** A value that is said to be a password or the like. */
  learnSecret(value: string): void {
    const characters = this.#untaught > 0 ? this.#secrets.learn(value) : 0;
    if (characters === 0) return;
    this.#untaught -= secretCost + characters;
    this.spend(secretCost + formCost * characters);
  }

  learnCookieValue(value: string): void {
    if (looksSecret(value)) this.learnSecret(value);
  }

  #begin(): void {
    this.#untaught = maxTaught;
  }

  /** Reads a little more than `maxLength`, so that a secret that goes on there is known as one. */
  #clean(text: string, maxLength = text.length): string {
    const read = text.slice(0, maxLength + maxSecretLength);
    this.spend(read.length);
    const found = [...this.#secrets.find(read), ...findTokens(read)];
    if (found.length === 0) return read.slice(0, maxLength);
    found.sort((a, b) => a.start - b.start);
    const inside = found.filter(({ start }) => start < maxLength);
    const end = inside.reduce((last, range) => Math.max(last, range.end), maxLength);
    return maskRanges(read.slice(0, end), inside);
  }

  #url(url: string): string {
    if (/^data:/i.test(url)) return `${/^data:[\w/+.-]{0,100}/i.exec(url)?.[0]},…`;
    const known = url
      .slice(0, readPerKept * maxUrlLength)
      .replace(userInfo, (_, scheme: string, user: string) => {
        this.learnSecret(decodeValue(user.slice(user.indexOf(':') + 1)));
        return scheme;
      });
    const masking = (whole: string, before: string, name: string, value: string) =>
      this.#isSecretValue(name, value) ? `${before}${name}=${masked}` : whole;
    return this.text(known.replace(pathValues, masking).replace(urlValues, masking), maxUrlLength);
  }

  #header(name: string, value: string): string {
    const lower = name.toLowerCase();
    if (urlHeaders.has(lower)) return this.#url(value);
    const isHarmless =
      harmlessHeaders.has(lower) || harmlessPrefixes.some((prefix) => lower.startsWith(prefix));
    if (isHarmless) return this.text(value, maxHeaderLength);
    this.#learnHeader(name, value);
    return masked;
  }

  #maskForm(form: string): string {
    return form.replace(formValues, (whole, before: string, name: string, value: string) =>
      this.#isSecretValue(name, value) ? `${before}${name}=${masked}` : whole,
    );
  }

  #isSecretValue(name: string, value: string): boolean {
    if (value === '') return false;
    const plain = decodeValue(value);
    if (isTelling(decodeValue(name))) {
      const isPassword = /pass|pwd|secret/i.test(name);
      for (const form of plain === value ? [value] : [value, plain]) {
        if (isPassword) this.learnSecret(form);
        else this.learnCookieValue(form);
      }
      return true;
    }
    if (plain === value || !plain.includes('=')) return false;
    // A URL in a parameter has parameters of its own.
    for (const [, inner = ''] of plain.matchAll(nestedName)) if (isTelling(inner)) return true;
    return false;
  }

  #learnHeader(name: string, value: string): void {
    const read = value.slice(0, maxReadOfBody);
    this.spend(read.length);
    const lower = name.slice(0, maxHeaderNameLength).toLowerCase();
    if (lower === 'cookie') {
      for (const cookie of read.split(';')) this.#learnCookie(cookie);
    } else if (lower === 'set-cookie') {
      // Chromium puts several on lines of one value.
      for (const line of read.split('\n')) this.#learnCookie(line.split(';', 1)[0] ?? '');
    } else if (lower.endsWith('authorization')) this.#learnAuthorization(read);
    else if (isTelling(lower)) this.learnSecret(read);
  }

  #learnCookie(cookie: string): void {
    const value = cookie.slice(cookie.indexOf('=') + 1).trim();
    this.learnCookieValue(value);
    if (value.includes('%')) this.learnCookieValue(decodeValue(value));
  }

  #learnAuthorization(value: string): void {
    const trimmed = value.trim();
    const schemeEnd = runEnd(trimmed, 0, isWord);
    const start = runEnd(trimmed, schemeEnd, isSpace);
    const hasScheme = schemeEnd > 0 && start > schemeEnd && start < trimmed.length;
    const credentials = hasScheme ? trimmed.slice(start) : trimmed;
    this.learnSecret(credentials);
    if (!hasScheme || trimmed.slice(0, schemeEnd).toLowerCase() !== 'basic') return;
    const plain = Buffer.from(credentials, 'base64').toString();
    this.learnSecret(plain);
    this.learnSecret(plain.slice(plain.indexOf(':') + 1));
  }
}

/** Whether a body looks like that of a form, as far as its start tells. */
function isForm(body: string): boolean {
  const start = body.slice(0, 1000);
  return start.includes('=') && !/[\s<>{}"]/.test(start);
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;
}
