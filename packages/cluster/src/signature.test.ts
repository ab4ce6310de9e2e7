import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  announcedDigest,
  digestOf,
  maxSkewMs,
  RequestVerifier,
  type SignedRequest,
  signAnswer,
  signatureHeaders,
  signRequest,
  verifyAnswer,
} from './signature.ts';

const secret = fc.string({ minLength: 32, maxLength: 80 });
const body = fc.uint8Array({ maxLength: 200 });
const path = fc.webPath({ size: 'small' }).map((text) => `/${text}`);
const request = fc.record({ method: fc.constantFrom('GET', 'POST'), path, body });
const now = 1_800_000_000_000;

/** A request as a server sees it that has read the body. */
const headOf = ({ method, path, body }: SignedRequest) => ({ method, path, digest: digestOf(body) });

/** Another value of the same kind. */
const other = <T>(values: fc.Arbitrary<T>, than: T, same: (a: T, b: T) => boolean = Object.is) =>
  values.filter((value) => !same(value, than));
const sameBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

describe('a request', () => {
  test('is taken by who has the secret, once', () => {
    fc.assert(
      fc.property(secret, request, (key, made) => {
        const verifier = new RequestVerifier(key);
        const headers = signRequest(key, made, now);
        // The head alone tells it.
        expect(announcedDigest(headers)).toBe(digestOf(made.body));
        expect(verifier.verify(headOf(made), headers, now)).toEqual({
          ok: true,
          nonce: headers[signatureHeaders.nonce],
        });
        expect(verifier.verify(headOf(made), headers, now + 1)).toMatchObject({
          ok: false,
          rule: expect.stringMatching('made before'),
        });
      }),
    );
  });

  test('counts for nothing under another secret, or with anything of it changed', () => {
    const changed = secret.chain((key) =>
      request.chain((made) =>
        fc.record({
          key: fc.constant(key),
          made: fc.constant(made),
          otherKey: other(secret, key),
          forged: fc.oneof(
            other(fc.constantFrom('GET', 'POST'), made.method).map((method) => ({ ...made, method })),
            other(path, made.path).map((changedPath) => ({ ...made, path: changedPath })),
            other(body, made.body, sameBytes).map((changedBody) => ({ ...made, body: changedBody })),
          ),
        }),
      ),
    );
    fc.assert(
      fc.property(changed, ({ key, made, otherKey, forged }) => {
        const headers = signRequest(key, made, now);
        const verdicts = [
          new RequestVerifier(otherKey).verify(headOf(made), headers, now),
          new RequestVerifier(key).verify(headOf(forged), headers, now),
          new RequestVerifier(key).verify(
            headOf(made),
            { ...headers, [signatureHeaders.time]: `${now + 1}` },
            now,
          ),
          new RequestVerifier(key).verify(headOf(made), { ...headers, [signatureHeaders.nonce]: 'ab' }, now),
          new RequestVerifier(key).verify(
            headOf(made),
            { ...headers, [signatureHeaders.signature]: 'ÿ'.repeat(64) },
            now,
          ),
          new RequestVerifier(key).verify(headOf(made), {}, now),
        ];
        // A stranger is told nothing, so there is no nonce to sign an answer for.
        for (const verdict of verdicts) expect(verdict).toEqual({ ok: false, rule: expect.any(String) });
      }),
    );
  });

  test('is too old or too new beyond the skew, and its nonce is remembered for as long as it could be taken', () => {
    const made = { method: 'POST', path: '/x', body: Buffer.from('') };
    const key = 'k'.repeat(32);
    fc.assert(
      fc.property(fc.integer({ min: -2 * maxSkewMs, max: 2 * maxSkewMs }), (ahead) => {
        const verifier = new RequestVerifier(key);
        const headers = signRequest(key, made, now + ahead);
        const inTime = Math.abs(ahead) <= maxSkewMs;
        expect(verifier.verify(headOf(made), headers, now).ok).toBe(inTime);
        for (const later of [0, maxSkewMs, maxSkewMs + ahead, 2 * maxSkewMs, 3 * maxSkewMs]) {
          // Others come in between, so that memory is cleared.
          verifier.verify(headOf(made), signRequest(key, made, now + later), now + later);
          if (later >= 0 && inTime)
            expect(verifier.verify(headOf(made), headers, now + later).ok).toBe(false);
        }
      }),
    );
  });
});

test('an answer is taken for its own request, as it was sent, and for no other', () => {
  const nonce = fc.stringMatching(/^[0-9a-f]{32}$/);
  fc.assert(
    fc.property(
      secret,
      nonce,
      fc.integer({ min: 200, max: 599 }),
      body,
      nonce,
      (key, n, status, bytes, m) => {
        const answer = { nonce: n, status, body: bytes };
        const headers = signAnswer(key, answer);
        expect(verifyAnswer(key, answer, headers)).toBe(true);
        expect(verifyAnswer(`${key}x`, answer, headers)).toBe(false);
        expect(verifyAnswer(key, { ...answer, status: status + 1 }, headers)).toBe(false);
        expect(
          verifyAnswer(key, { ...answer, body: Buffer.concat([bytes, Buffer.from('x')]) }, headers),
        ).toBe(false);
        if (m !== n) expect(verifyAnswer(key, { ...answer, nonce: m }, headers)).toBe(false);
        expect(verifyAnswer(key, answer, {})).toBe(false);
      },
    ),
  );
});
