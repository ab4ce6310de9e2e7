import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * How gateways and hosts know each other. Both hold one secret, which never travels: a request is signed over its
 * method, path, time, nonce and body, an answer over the request's nonce, its status and body. So an answer
 * belongs to one request, and a request counts once.
 *
 * The time is the verifier's: a caller whose clock says something else is told the time in the signed refusal, and
 * signs again with that. So machines need not agree on the time, and a request is still of no use to anyone half a
 * minute after it was made.
 */

/** How far a request's time may be off, and how old it may get on its way. */
export const maxSkewMs = 30_000;

export const signatureHeaders = {
  time: 'x-turnpike-time',
  nonce: 'x-turnpike-nonce',
  signature: 'x-turnpike-signature',
} as const;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface SignedRequest {
  method: string;
  path: string;
  body: Uint8Array;
}

export interface SignedAnswer {
  /** Of the request that is answered. */
  nonce: string;
  status: number;
  body: Uint8Array;
}

const noncePattern = /^[0-9a-f]{32}$/;
const timePattern = /^\d{1,15}$/;
const signaturePattern = /^[0-9a-f]{64}$/;

export function signRequest(
  secret: string,
  { method, path, body }: SignedRequest,
  now: number,
): Record<string, string> {
  const nonce = randomBytes(16).toString('hex');
  const signature = sign(secret, ['request', method, path, String(now), nonce, hash(body)]);
  return {
    [signatureHeaders.time]: String(now),
    [signatureHeaders.nonce]: nonce,
    [signatureHeaders.signature]: signature,
  };
}

export type Verdict =
  | { ok: true; nonce: string }
  /**
   * `nonce`: the caller has the secret all the same, so a signed answer may tell it what was wrong. `isMistimed`: it
   * is to learn the time, and come again.
   */
  | { ok: false; rule: string; nonce?: string; isMistimed?: true };

/** Checks what comes in, and remembers nonces for as long as their request could be repeated. */
export class RequestVerifier {
  readonly #secret: string;
  readonly #seen = new Map<string, number>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  verify({ method, path, body }: SignedRequest, headers: Headers, now: number): Verdict {
    const time = single(headers, signatureHeaders.time);
    const nonce = single(headers, signatureHeaders.nonce);
    if (!timePattern.test(time) || !noncePattern.test(nonce)) return { ok: false, rule: 'not signed' };
    const expected = sign(this.#secret, ['request', method, path, time, nonce, hash(body)]);
    if (!sameText(expected, single(headers, signatureHeaders.signature))) {
      return { ok: false, rule: 'signed with another secret' };
    }
    if (Math.abs(now - Number(time)) > maxSkewMs) {
      const rule = `made at another time: clocks differ by ${Math.round((Number(time) - now) / 1000)} s`;
      return { ok: false, nonce, isMistimed: true, rule };
    }
    if (!this.#isNew(nonce, now)) return { ok: false, nonce, rule: 'made before: its nonce is known' };
    return { ok: true, nonce };
  }

  /** A request is accepted until `maxSkewMs` after its time, which may itself lie as much ahead. */
  #isNew(nonce: string, now: number): boolean {
    for (const [old, until] of this.#seen) {
      if (until >= now) break;
      this.#seen.delete(old);
    }
    if (this.#seen.has(nonce)) return false;
    this.#seen.set(nonce, now + 2 * maxSkewMs);
    return true;
  }
}

export function signAnswer(secret: string, { nonce, status, body }: SignedAnswer): Record<string, string> {
  return { [signatureHeaders.signature]: sign(secret, ['answer', nonce, String(status), hash(body)]) };
}

export function verifyAnswer(
  secret: string,
  { nonce, status, body }: SignedAnswer,
  headers: Headers,
): boolean {
  const expected = sign(secret, ['answer', nonce, String(status), hash(body)]);
  return sameText(expected, single(headers, signatureHeaders.signature));
}

/** No part has a line end in it: methods, paths on the wire, digits. */
function sign(secret: string, parts: readonly string[]): string {
  return createHmac('sha256', secret)
    .update(['turnpike-1', ...parts].join('\n'))
    .digest('hex');
}

const hash = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

function single(headers: Headers, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function sameText(expected: string, given: string): boolean {
  return signaturePattern.test(given) && timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}
