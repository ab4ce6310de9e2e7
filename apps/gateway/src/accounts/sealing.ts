import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Seals secrets that must be shown again, under the service's own key. */
export class Sealer {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(text: string): string {
    return this.sealBytes(Buffer.from(text)).toString('base64');
  }

  /** Throws when it was sealed under another key, or changed since. */
  open(sealed: string): string {
    return this.openBytes(Buffer.from(sealed, 'base64')).toString('utf8');
  }

  /** What it is sealed for is not in it, and has to be said again to open it. */
  sealBytes(bytes: Uint8Array, sealedFor = ''): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, this.#key, iv).setAAD(Buffer.from(sealedFor));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** Throws as `open` does, and when it was sealed for something else. */
  openBytes(sealed: Uint8Array, sealedFor = ''): Buffer {
    const decipher = createDecipheriv(algorithm, this.#key, sealed.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    }).setAAD(Buffer.from(sealedFor));
    decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()]);
  }
}
