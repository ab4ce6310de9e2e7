import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
/** What is sealed today begins with this, and the id of its key; what earlier versions sealed begins with neither. */
const magic = Buffer.from('TPS2');
const keyIdBytes = 4;

interface SealingKey {
  id: Buffer;
  key: Buffer;
}

/**
 * Seals secrets that must be shown again, under the service's own key. What is sealed carries the id of its key, and
 * is bound to its place: a value that somebody moves to another row does not open there.
 */
export class Sealer {
  readonly #current: SealingKey;
  readonly #keys: readonly SealingKey[];

  /** Under the first key everything is sealed; the others only open what was sealed under them. */
  constructor(key: Buffer, oldKeys: readonly Buffer[] = []) {
    this.#current = sealingKey(key);
    this.#keys = [this.#current, ...oldKeys.map(sealingKey)];
  }

  /** `place` is where it is kept: see `sealed-places.ts`. */
  seal(text: string, place: string): string {
    return this.sealBytes(Buffer.from(text), place).toString('base64');
  }

  /** Throws when it was sealed under a key that is not known or for another place, or changed since. */
  open(sealed: string, place: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    // Earlier versions bound texts to nothing.
    return (isCurrentForm(bytes) ? this.openBytes(bytes, place) : this.openBytes(bytes, '')).toString('utf8');
  }

  sealBytes(bytes: Uint8Array, place: string): Buffer {
    const { id, key } = this.#current;
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([magic, id, iv, cipher.getAuthTag(), sealed]);
  }

  openBytes(sealed: Uint8Array, place: string): Buffer {
    if (!isCurrentForm(sealed)) return this.#tryAll(sealed, place);
    const keyId = sealed.subarray(magic.length, magic.length + keyIdBytes);
    const known = this.#keys.find(({ id }) => id.equals(keyId));
    if (!known) throw new Error('it was sealed under a key that is not known');
    return decipher(known.key, sealed.subarray(magic.length + keyIdBytes), place);
  }

  /** Whether it is in today's form and under today's key. */
  isCurrent(sealed: Uint8Array | string): boolean {
    const bytes = typeof sealed === 'string' ? Buffer.from(sealed, 'base64') : sealed;
    return (
      isCurrentForm(bytes) && this.#current.id.equals(bytes.subarray(magic.length, magic.length + keyIdBytes))
    );
  }

  /** A proof that this service wrote a text, for a purpose; under each of the keys, today's first. */
  proofs(purpose: string, text: string): string[] {
    return this.#keys.map(({ key }) => {
      const derived = Buffer.from(hkdfSync('sha256', key, '', `turnpike ${purpose}`, 32));
      return createHmac('sha256', derived).update(text).digest('hex');
    });
  }

  /** What earlier versions sealed does not say under which key. */
  #tryAll(sealed: Uint8Array, place: string): Buffer {
    let failure: unknown;
    for (const { key } of this.#keys) {
      try {
        return decipher(key, sealed, place);
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

/** `sealed` is the initialisation vector, the tag, and the rest. */
function decipher(key: Buffer, sealed: Uint8Array, place: string): Buffer {
  const open = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  }).setAAD(Buffer.from(place));
  open.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([open.update(sealed.subarray(ivBytes + tagBytes)), open.final()]);
}
