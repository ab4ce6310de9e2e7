/** Up to here a view of the bytes as words costs more than it saves. */
const maxByBytes = 128;

/** Takes a client's mask off, in place (RFC 6455, 5.3): four bytes at a time, from the first whole word in memory on. */
export function unmask(bytes: Buffer, key: Uint8Array): void {
  const { length, byteOffset, buffer } = bytes;
  if (length <= maxByBytes) {
    for (let i = 0; i < length; i++) bytes[i] = (bytes[i] as number) ^ (key[i & 3] as number);
    return;
  }
  const lead = -byteOffset & 3;
  for (let i = 0; i < lead; i++) bytes[i] = (bytes[i] as number) ^ (key[i & 3] as number);
  const words = new Int32Array(buffer, byteOffset + lead, (length - lead) >> 2);
  const word = new Int32Array(Uint8Array.from([0, 1, 2, 3], (i) => key[(lead + i) & 3] as number).buffer)[0];
  for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) ^ (word as number);
  for (let i = lead + words.length * 4; i < length; i++) {
    bytes[i] = (bytes[i] as number) ^ (key[i & 3] as number);
  }
}
