import { createPublicKey, verify } from 'node:crypto';
import { Receipt, type ReceiptKey, ReceiptKeys, type ReceiptStatement } from '@turnpike/contract/receipt';
import { Compile } from 'typebox/compile';
import { parseBoundedJson } from './bounded-json.ts';

/** Signs and verifies receipts: see `@turnpike/contract/receipt`. */

export interface Signer {
  keyId: string;
  /** Returns the Ed25519 signature as base64url. */
  sign(text: string): string;
}

export function signReceipt(statement: ReceiptStatement, signer: Signer): Receipt {
  const header = base64url(canonicalJson({ alg: 'EdDSA', kid: signer.keyId }));
  return { statement, protected: header, signature: signer.sign(signedText(header, statement)) };
}

/** Says why a receipt cannot be trusted. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
}

const isReceipt = Compile(Receipt);
const areKeys = Compile(ReceiptKeys);
const isHeader = (value: unknown): value is { alg: string; kid: string } =>
  typeof value === 'object' && value !== null && 'alg' in value && 'kid' in value;
/** Gateways read the current key before they sign, so a receipt may be a little younger than its key's retirement. */
const retirementGraceMs = 60_000;

/**
 * Verifies a receipt's text with the service's published keys, and returns its statement. Throws a `ReceiptError` that
 * says what is wrong.
 */
export function verifyReceipt(text: string, keysText: string): ReceiptStatement {
  const receipt = parse(text, 'The receipt');
  const keys = parse(keysText, 'The file with the keys');
  if (!areKeys.Check(keys)) throw new ReceiptError('The file with the keys is not a list of receipt keys.');
  if (!isReceipt.Check(receipt)) throw new ReceiptError('The file is not a receipt.');
  const header = parse(Buffer.from(receipt.protected, 'base64url').toString(), "The signature's header");
  if (!isHeader(header) || header.alg !== 'EdDSA')
    throw new ReceiptError("The signature's header is not that of a receipt.");
  const key = keys.keys.find(({ kid }) => kid === header.kid);
  if (!key) throw new ReceiptError(`The key ${header.kid} is not among the service's keys.`);
  if (!matches(receipt, key))
    throw new ReceiptError('The signature does not fit: the receipt was changed, or is forged.');
  const issuedAt = Date.parse(receipt.statement.issuedAt);
  if (key.retiredAt !== null && issuedAt > Date.parse(key.retiredAt) + retirementGraceMs)
    throw new ReceiptError(`The key ${key.kid} was retired before the receipt was issued.`);
  return receipt.statement;
}

function matches(receipt: Receipt, { x }: ReceiptKey): boolean {
  const signature = Buffer.from(receipt.signature, 'base64url');
  // Other spellings of the same bytes are changes too.
  if (signature.toString('base64url') !== receipt.signature) return false;
  const text = signedText(receipt.protected, receipt.statement);
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(text), publicKey, signature);
  } catch {
    return false; // Not a key, or not a signature.
  }
}

function parse(text: string, what: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    throw new ReceiptError(`${what} is not JSON.`);
  }
}

/** What the signature is over: the signing input of a JWS. */
const signedText = (header: string, statement: unknown): string =>
  `${header}.${base64url(canonicalJson(statement))}`;

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Canonical JSON (RFC 8785): members in the order of their names, no spaces. For values that JSON.parse returns. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
