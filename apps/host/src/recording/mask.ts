import { masked, type SecretSet } from './secret-set.ts';
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

const jwt = /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)*/g;
const authorization = /\b(bearer|basic|digest)(\s+)[\w+/=.~-]{6,}/gi;
const userInfo = /^((?:[a-z][a-z\d+.-]*:)+\/\/)([^/?#]*)@/i;
const urlValues = /([?&#])([^=&#;?/]{1,200})=([^&#;]*)/g;
const pathValues = /(;)([^=&#;?/]{1,200})=([^&#;?/]*)/g;
const nestedName = /[?&#;]([^=&#;?/]{1,200})=/g;
const formValues = /(^|&)([^=&]{1,200})=([^&]*)/g;
const jsonStrings = /"((?:[^"\\]|\\.){1,200})"([ \t]*:\s*)(?:"((?:[^"\\]|\\.)*)"?|(-?\d[\d.]*))/g;
const multipartValues =
  /(\bname="([^"\r\n]{1,200})"[^\r\n]{0,300}(?:\r\n[^\r\n]{1,300}){0,5}\r\n\r\n)([\s\S]*?)(?=\r\n--|$)/g;
const inputs = /<input\b[^>]{1,1000}>/gi;
const attribute = (name: string) =>
  new RegExp(`(\\b${name}\\s*=\\s*)(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i');
const [valueAttribute, typeAttribute, nameAttribute] = ['value', 'type', 'name'].map(attribute) as [
  RegExp,
  RegExp,
  RegExp,
];

/** Takes out of texts what may not be recorded, and learns from what it takes out. */
export class Mask {
  readonly #secrets: SecretSet;

  constructor(secrets: SecretSet) {
    this.#secrets = secrets;
  }

  /** A text that anybody may have written: a title, a message of the console, an error. */
  text(text: string, maxLength: number): string {
    return cut(this.#clean(text.slice(0, 4 * maxLength)), maxLength);
  }

  /** A URL without user and password, and without values whose names say that they are secret. */
  url(url: string): string {
    if (/^data:/i.test(url)) return `${/^data:[\w/+.-]{0,100}/i.exec(url)?.[0]},…`;
    const known = url.slice(0, 4 * maxUrlLength).replace(userInfo, (_, scheme: string, user: string) => {
      this.learnSecret(decoded(user.slice(user.indexOf(':') + 1)));
      return scheme;
    });
    const masking = (whole: string, before: string, name: string, value: string) =>
      this.#isSecretValue(name, value) ? `${before}${name}=${masked}` : whole;
    return this.text(known.replace(pathValues, masking).replace(urlValues, masking), maxUrlLength);
  }

  headers(headers: Readonly<Record<string, unknown>>): Record<string, string> {
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
    for (const [name, value] of Object.entries(headers).slice(0, maxHeaders)) {
      this.learnHeader(name, String(value));
    }
  }

  learnHeader(name: string, value: string): void {
    const lower = name.toLowerCase();
    if (lower === 'cookie') {
      for (const cookie of value.split(';')) this.#learnCookie(cookie);
    } else if (lower === 'set-cookie') {
      // Chromium puts several on lines of one value.
      for (const line of value.split('\n')) this.#learnCookie(line.split(';', 1)[0] ?? '');
    } else if (lower.endsWith('authorization')) this.#learnAuthorization(value);
    else if (isTelling(lower)) this.learnSecret(value);
  }

  /** The body of a request or response, as text, without the values of fields whose names say that they are secret. */
  body(body: string): string {
    const masking = (before: string, name: string, value: string, after = '') =>
      this.#isSecretValue(name, value) ? `${before}${masked}${after}` : undefined;
    const isForm = /^[^\s<>{}"]*=[^\s<>{}"]*$/.test(body.slice(0, 1000));
    const fields = isForm
      ? body.replace(
          formValues,
          (all, before: string, name: string, value: string) =>
            masking(`${before}${name}=`, name, value) ?? all,
        )
      : body;
    const clean = fields
      .replace(
        multipartValues,
        (all, before: string, name: string, value: string) => masking(before, name, value) ?? all,
      )
      .replace(
        jsonStrings,
        (all, name: string, colon: string, text?: string, number?: string) =>
          masking(`"${name}"${colon}"`, name, unescaped(text) ?? number ?? '', '"') ?? all,
      )
      .replace(inputs, (input) => this.#input(input));
    return this.#clean(clean);
  }

  /** Text that a client types. It is never recorded; what looks like a password is not recorded elsewhere either. */
  typed(text: string): void {
    if (looksSecret(text)) this.#secrets.learn(text);
  }

  /** A value that is said to be a password or the like. */
  learnSecret(value: string): void {
    this.#secrets.learn(value);
  }

  learnCookieValue(value: string): void {
    if (looksSecret(value)) this.#secrets.learn(value);
  }

  #clean(text: string): string {
    return this.#secrets.scrub(text).replace(jwt, masked).replace(authorization, `$1$2${masked}`);
  }

  #header(name: string, value: string): string {
    const lower = name.toLowerCase();
    if (urlHeaders.has(lower)) return this.url(value);
    const isHarmless =
      harmlessHeaders.has(lower) || harmlessPrefixes.some((prefix) => lower.startsWith(prefix));
    if (isHarmless) return this.text(value, maxHeaderLength);
    this.learnHeader(name, value);
    return masked;
  }

  #input(input: string): string {
    const type = attributeOf(typeAttribute, input);
    const name = attributeOf(nameAttribute, input) ?? '';
    const value = attributeOf(valueAttribute, input);
    if (value === undefined || !(type?.toLowerCase() === 'password' || isTelling(name))) return input;
    this.learnSecret(value);
    return input.replace(valueAttribute, `$1"${masked}"`);
  }

  #isSecretValue(name: string, value: string): boolean {
    if (value === '') return false;
    const plain = decoded(value);
    if (isTelling(decoded(name))) {
      const isPassword = /pass|pwd|secret/i.test(name);
      for (const form of [value, plain]) {
        if (isPassword) this.learnSecret(form);
        else this.learnCookieValue(form);
      }
      return true;
    }
    // A URL in a parameter has parameters of its own.
    return plain !== value && [...plain.matchAll(nestedName)].some(([, inner = '']) => isTelling(inner));
  }

  #learnCookie(cookie: string): void {
    const value = cookie.slice(cookie.indexOf('=') + 1).trim();
    this.learnCookieValue(value);
    if (value.includes('%')) this.learnCookieValue(decoded(value));
  }

  #learnAuthorization(value: string): void {
    const [, scheme = '', credentials = value.trim()] = /^\s*(\w+)\s+(.+?)\s*$/.exec(value) ?? [];
    this.learnSecret(credentials);
    if (scheme.toLowerCase() !== 'basic') return;
    const plain = Buffer.from(credentials, 'base64').toString();
    this.learnSecret(plain);
    this.learnSecret(plain.slice(plain.indexOf(':') + 1));
  }
}

function attributeOf(attribute: RegExp, input: string): string | undefined {
  const [, , double, single, bare] = attribute.exec(input) ?? [];
  return double ?? single ?? bare;
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}

function unescaped(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
