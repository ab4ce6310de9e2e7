import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { Slices } from '@turnpike/process/work/slices';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
/** Starts what is sealed in today's form, followed by the id of the key. Earlier versions wrote neither. */
const magic = Buffer.from('TPS2');
const keyIdBytes = 4;
/** What is opened of a large value at a time: well below a millisecond. */
const stepBytes = 256 * 1024;

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
    return decipher(this.#keyOf(sealed), sealed.subarray(magic.length + keyIdBytes), aad);
  }

  /** Opens a large value in slices, so that others are served in between. */
  async openLarge(sealed: Uint8Array, aad: string): Promise<Buffer> {
    if (!isCurrentForm(sealed)) return this.openBytes(sealed, aad);
    const opening = decipherOf(this.#keyOf(sealed), sealed.subarray(magic.length + keyIdBytes), aad);
    const slices = new Slices();
    const opened: Buffer[] = [];
    for (let from = 0; from < opening.content.length; from += stepBytes) {
      opened.push(opening.decipher.update(opening.content.subarray(from, from + stepBytes)));
      await slices.pause();
    }
    opening.decipher.final();
    return Buffer.concat(opened);
  }

  /** Tells whether a value is in today's form and under today's key. */
  isCurrent(sealed: Uint8Array | string): boolean {
    const bytes = typeof sealed === 'string' ? Buffer.from(sealed, 'base64') : sealed;
    return (
      isCurrentForm(bytes) && this.#current.id.equals(bytes.subarray(magic.length, magic.length + keyIdBytes))
    );
  }

  /**
   * Proves that this service wrote a text for a purpose. Only today's key proves anything: a key is replaced because
   * somebody may have it, and they could sign whatever they like.
   */
  proof(purpose: string, text: string): Buffer {
    const derived = Buffer.from(hkdfSync('sha256', this.#current.key, '', `turnpike ${purpose}`, 32));
    return createHmac('sha256', derived).update(text).digest();
  }

  /** Whether a proof, in hexadecimal digits, is that of the text. */
  isProof(given: string, purpose: string, text: string): boolean {
    const [known, presented] = [this.proof(purpose, text), Buffer.from(given, 'hex')];
    return presented.length === known.length && timingSafeEqual(known, presented);
  }

  #keyOf(sealed: Uint8Array): Buffer {
    const keyId = sealed.subarray(magic.length, magic.length + keyIdBytes);
    const known = this.#keys.find(({ id }) => id.equals(keyId));
    if (!known) throw new Error('The value was sealed under an unknown key.');
    return known.key;
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
  const open = decipherOf(key, sealed, aad);
  return Buffer.concat([open.decipher.update(open.content), open.decipher.final()]);
}

function decipherOf(key: Buffer, sealed: Uint8Array, aad: string) {
  const open = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes });
  open.setAAD(Buffer.from(aad)).setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  return { decipher: open, content: sealed.subarray(ivBytes + tagBytes) };
}
