import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Authenticates gateways and hosts. Both have one secret, which is never sent. A request is signed over its method, path,
 * time, nonce and the digest of its body, a response over the request's nonce, its status and body. So a response
 * belongs to one request, and a request is accepted once. The digest is also a header, so that a request is verified
 * before its body is read.
 *
 * The verifier's clock decides. A caller with another time gets the verifier's time in the signed refusal, and signs
 * again with it. So clocks may differ, and a request still cannot be replayed after half a minute.
 */

/** Maximum difference of a request's time, including its time on the network. */
export const maxSkewMs = 30_000;

export const signatureHeaders = {
  time: 'x-turnpike-time',
  nonce: 'x-turnpike-nonce',
  digest: 'x-turnpike-digest',
  signature: 'x-turnpike-signature',
} as const;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface SignedRequest {
  method: string;
  path: string;
  body: Uint8Array;
}

/** A request as it is verified: by what its head says of its body. */
export interface RequestHead {
  method: string;
  path: string;
  digest: string;
}

export interface SignedAnswer {
  /** The nonce of the request. */
  nonce: string;
  status: number;
  body: Uint8Array;
}

const noncePattern = /^[0-9a-f]{32}$/;
const timePattern = /^\d{1,15}$/;
const hexPattern = /^[0-9a-f]{64}$/;

export function signRequest(
  secret: string,
  { method, path, body }: SignedRequest,
  now: number,
): Record<string, string> {
  const nonce = randomBytes(16).toString('hex');
  const digest = digestOf(body);
  const signature = sign(secret, ['request', method, path, String(now), nonce, digest]);
  return {
    [signatureHeaders.time]: String(now),
    [signatureHeaders.nonce]: nonce,
    [signatureHeaders.digest]: digest,
    [signatureHeaders.signature]: signature,
  };
}

/**
 * The digest that a request's head announces. Returns undefined if the caller is of an earlier version, or none of the
 * cluster.
 */
export function announcedDigest(headers: Headers): string | undefined {
  const digest = single(headers, signatureHeaders.digest);
  return hexPattern.test(digest) ? digest : undefined;
}

/** Whether a request looks signed. Only then is it worth to read a body of an earlier version. */
export const looksSigned = (headers: Headers): boolean =>
  timePattern.test(single(headers, signatureHeaders.time)) &&
  noncePattern.test(single(headers, signatureHeaders.nonce)) &&
  hexPattern.test(single(headers, signatureHeaders.signature));

export type Verdict =
  | { ok: true; nonce: string }
  /**
   * `nonce`: the caller has the secret, so a signed response can say what was wrong. `isMistimed`: the caller should
   * take the time from the response and call again.
   */
  | { ok: false; rule: string; nonce?: string; isMistimed?: true };

/** Verifies requests, and remembers nonces as long as their request could be replayed. */
export class RequestVerifier {
  readonly #secret: string;
  readonly #seen = new Map<string, number>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  verify({ method, path, digest }: RequestHead, headers: Headers, now: number): Verdict {
    const time = single(headers, signatureHeaders.time);
    const nonce = single(headers, signatureHeaders.nonce);
    if (!looksSigned(headers)) return { ok: false, rule: 'not signed' };
    const expected = sign(this.#secret, ['request', method, path, time, nonce, digest]);
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

  /** Keeps a nonce for twice `maxSkewMs`: a request's time may be that far ahead, and it is valid that long after. */
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
  return { [signatureHeaders.signature]: sign(secret, ['answer', nonce, String(status), digestOf(body)]) };
}

export function verifyAnswer(
  secret: string,
  { nonce, status, body }: SignedAnswer,
  headers: Headers,
): boolean {
  const expected = sign(secret, ['answer', nonce, String(status), digestOf(body)]);
  return sameText(expected, single(headers, signatureHeaders.signature));
}

/** Joins the parts with line feeds. No part can contain one: methods, paths, digits. */
function sign(secret: string, parts: readonly string[]): string {
  return createHmac('sha256', secret)
    .update(['turnpike-1', ...parts].join('\n'))
    .digest('hex');
}

export const digestOf = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');

function single(headers: Headers, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function sameText(expected: string, given: string): boolean {
  return hexPattern.test(given) && timingSafeEqual(Buffer.from(expected), Buffer.from(given));
}
