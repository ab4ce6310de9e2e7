import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ReceiptKey, ReceiptStatement } from '@turnpike/contract/receipt';
import { expect, test } from 'vitest';
import { canonicalJson, ReceiptError, signReceipt, verifyReceipt } from './receipt-signature.ts';

const use = { requests: 1, tunnels: 2, bytesUp: 300, bytesDown: 4000, refused: {} };
const statement: ReceiptStatement = {
  type: 'turnpike-receipt',
  version: 1,
  issuedAt: '2026-11-16T12:00:00.000Z',
  accountId: 'acc_1',
  session: {
    browserId: 'br_1',
    status: 'CLOSED',
    createdAt: '2026-11-16T11:00:00.000Z',
    endedAt: '2026-11-16T11:30:00.000Z',
    endReason: null,
  },
  proxy: 'http://user:****@proxy.example:8000',
  traffic: {
    bytesUp: 300,
    bytesDown: 4000,
    destinations: [{ host: 'bücher.example', port: 443, ...use }],
    other: { requests: 0, tunnels: 0, bytesUp: 0, bytesDown: 0, refused: {} },
  },
  host: { name: 'host-1', version: '1.0.0', chromium: '156.0.0.0' },
  sandbox: null,
};

interface TestKey {
  published: ReceiptKey;
  privateKey: KeyObject;
}

function createKey(kid: string, retiredAt: string | null = null): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const fixed = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' } as const;
  return {
    published: { ...fixed, kid, x, createdAt: '2026-01-01T00:00:00.000Z', retiredAt },
    privateKey,
  };
}

const issue = ({ privateKey, published: { kid } }: TestKey, content = statement) =>
  JSON.stringify(
    signReceipt(content, {
      keyId: kid,
      sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
    }),
  );
const publish = (...keys: TestKey[]) => JSON.stringify({ keys: keys.map(({ published }) => published) });

const [first, second] = [createKey('rk_first'), createKey('rk_second')];

test('a receipt verifies, whatever the order of its members', () => {
  expect(verifyReceipt(issue(first), publish(second, first))).toEqual(statement);
  const { signature, protected: header, statement: content } = JSON.parse(issue(first));
  const turned = Object.fromEntries(Object.entries(content).reverse());
  expect(
    verifyReceipt(JSON.stringify({ signature, statement: turned, protected: header }), publish(first)),
  ).toEqual(statement);
});

test('every changed byte fails', () => {
  const text = issue(first);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => verifyReceipt(changed.toString('latin1'), publish(first)), `byte ${at}`).toThrow(
      ReceiptError,
    );
  }
});

test('a key that was replaced verifies what it signed before, and nothing after', () => {
  const retired: TestKey = {
    ...first,
    published: { ...first.published, retiredAt: '2026-11-16T12:00:30.000Z' },
  };
  expect(verifyReceipt(issue(retired), publish(retired, second))).toEqual(statement);
  const later = { ...statement, issuedAt: '2026-11-17T00:00:00.000Z' };
  expect(() => verifyReceipt(issue(retired, later), publish(retired, second))).toThrow('was retired before');
});

test('a forged one fails: under an unknown key, or under the name of a known one', () => {
  const forger = createKey('rk_forger');
  expect(() => verifyReceipt(issue(forger), publish(first))).toThrow(
    "The key rk_forger is not among the service's keys.",
  );
  const asFirst: TestKey = { ...forger, published: { ...forger.published, kid: 'rk_first' } };
  expect(() => verifyReceipt(issue(asFirst), publish(first))).toThrow('was changed, or is forged');
});

test('what is no receipt, or no list of keys, is refused with a sentence', () => {
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  for (const text of ['', 'null', '{}', deep, '{"statement":{},"protected":"","signature":""}']) {
    expect(() => verifyReceipt(text, publish(first))).toThrow(ReceiptError);
    expect(() => verifyReceipt(issue(first), text)).toThrow(ReceiptError);
  }
  const { statement: content, signature } = JSON.parse(issue(first));
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', kid: 'rk_first' })).toString('base64url');
  expect(() =>
    verifyReceipt(JSON.stringify({ statement: content, protected: unsigned, signature }), publish(first)),
  ).toThrow("The signature's header is not that of a receipt.");
});

test('canonical JSON sorts members and writes no spaces', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: undefined, A: true })).toBe(
    '{"A":true,"b":[1,{"c":"ü","d":null}]}',
  );
});
