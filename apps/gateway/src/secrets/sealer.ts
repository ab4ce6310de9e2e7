import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
/** Starts what is sealed in today's form, followed by the id of the key. Earlier versions wrote neither. */
const magic = Buffer.from('TPS2');
const keyIdBytes = 4;

interface SealingKey {
  id: Buffer;
  key: Buffer;
}

/**
 * Seals secrets that must be shown again, under the service's own key. A sealed value carries the id of its key, and is
 * bound to its row by associated data: moved to another row, it does not open.
 */
export class Sealer {
  readonly #current: SealingKey;
  readonly #keys: readonly SealingKey[];

  /** `key` seals everything; `oldKeys` only open what was sealed under them. */
  constructor(key: Buffer, oldKeys: readonly Buffer[] = []) {
    this.#current = sealingKey(key);
    this.#keys = [this.#current, ...oldKeys.map(sealingKey)];
  }

  /** `aad` is the associated data, see `associated-data.ts`. */
  seal(text: string, aad: string): string {
    return this.sealBytes(Buffer.from(text), aad).toString('base64');
  }

  /** Throws if it was sealed under an unknown key or for another row, or was changed since. */
  open(sealed: string, aad: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    // Earlier versions used no associated data for texts.
    return (isCurrentForm(bytes) ? this.openBytes(bytes, aad) : this.openBytes(bytes, '')).toString('utf8');
  }

  sealBytes(bytes: Uint8Array, aad: string): Buffer {
    const { id, key } = this.#current;
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(aad));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([magic, id, iv, cipher.getAuthTag(), sealed]);
  }

  openBytes(sealed: Uint8Array, aad: string): Buffer {
    if (!isCurrentForm(sealed)) return this.#tryAll(sealed, aad);
    const keyId = sealed.subarray(magic.length, magic.length + keyIdBytes);
    const known = this.#keys.find(({ id }) => id.equals(keyId));
    if (!known) throw new Error('The value was sealed under an unknown key.');
    return decipher(known.key, sealed.subarray(magic.length + keyIdBytes), aad);
  }

  /** Tells whether a value is in today's form and under today's key. */
  isCurrent(sealed: Uint8Array | string): boolean {
    const bytes = typeof sealed === 'string' ? Buffer.from(sealed, 'base64') : sealed;
    return (
      isCurrentForm(bytes) && this.#current.id.equals(bytes.subarray(magic.length, magic.length + keyIdBytes))
    );
  }

  /** Proves that this service wrote a text for a purpose: one proof for each key, today's first. */
  proofs(purpose: string, text: string): string[] {
    return this.#keys.map(({ key }) => {
      const derived = Buffer.from(hkdfSync('sha256', key, '', `turnpike ${purpose}`, 32));
      return createHmac('sha256', derived).update(text).digest('hex');
    });
  }

  /** Earlier versions did not store the id of the key. */
  #tryAll(sealed: Uint8Array, aad: string): Buffer {
    let failure: unknown;
    for (const { key } of this.#keys) {
      try {
        return decipher(key, sealed, aad);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

function isCurrentForm(sealed: Uint8Array): boolean {
  return magic.equals(sealed.subarray(0, magic.length));
}

function sealingKey(key: Buffer): SealingKey {
  const id = Buffer.from(hash('sha256', Buffer.concat([Buffer.from('turnpike key id'), key])), 'hex');
  return { key, id: id.subarray(0, keyIdBytes) };
}

/** Opens the initialization vector, the tag and the ciphertext. */
function decipher(key: Buffer, sealed: Uint8Array, aad: string): Buffer {
  const open = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  }).setAAD(Buffer.from(aad));
  open.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([open.update(sealed.subarray(ivBytes + tagBytes)), open.final()]);
}
