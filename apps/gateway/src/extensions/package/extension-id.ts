import { createHash } from 'node:crypto';

/** The id that Chromium gives to an extension: 32 letters for the first half of its public key's SHA-256. */
export function idOfKey(publicKey: Uint8Array): string {
  return idOfHash(createHash('sha256').update(publicKey).digest());
}

/** The same for the hash, of which the first 16 bytes count. */
export function idOfHash(hash: Uint8Array): string {
  const hex = Buffer.from(hash.subarray(0, 16)).toString('hex');
  return hex.replace(/./g, (digit) => letters[Number.parseInt(digit, 16)] as string);
}

const letters = 'abcdefghijklmnop';

/**
 * The key of an extension that has none: the same for every version that an account uploads under a name, and another
 * for each account. Chromium only hashes it, so it need not be a key that signs.
 */
export function keyOfName(accountId: string, name: string): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['turnpike extension', accountId, name]))
    .digest();
}
