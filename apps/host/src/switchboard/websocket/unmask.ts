/** Up to this length a view of the bytes as words costs more than it saves. */
const maxBytewise = 256;

/**
 * Unmasks a client's bytes from start to end, in place (RFC 6455, 5.3). The key is the mask's four bytes as one word in
 * little-endian order. Four bytes at a time are unmasked from the first aligned word on.
 */
export function unmask(bytes: Buffer, start: number, end: number, key: number): void {
  if (end - start <= maxBytewise) {
    unmaskBytes(bytes, start, end, key);
    return;
  }
  const words = start + (-(bytes.byteOffset + start) & 3);
  unmaskBytes(bytes, start, words, key);
  const view = new Int32Array(bytes.buffer, bytes.byteOffset + words, (end - words) >> 2);
  const wordKey = rotateKey(key, words - start);
  for (let i = 0; i < view.length; i++) view[i] = (view[i] as number) ^ wordKey;
  unmaskBytes(bytes, words + view.length * 4, end, wordKey);
}

function unmaskBytes(bytes: Buffer, start: number, end: number, key: number): void {
  let next = key;
  for (let i = start; i < end; i++) {
    bytes[i] = (bytes[i] as number) ^ (next & 0xff);
    next = (next >>> 8) | (next << 24);
  }
}

/** Returns the key for the bytes that come this many bytes later. */
export function rotateKey(key: number, bytes: number): number {
  const bits = (bytes & 3) * 8;
  return bits === 0 ? key : (key >>> bits) | (key << (32 - bits));
}
