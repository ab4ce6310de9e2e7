/** Bytes with a head of JSON before them: four bytes with the head's length, the head, and the bytes. */

const lengthBytes = 4;

export function joinHead(head: object, ...parts: readonly Uint8Array[]): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, ...parts]);
}

/** Returns undefined if there is no head, or one that is larger than it may be. The head is not parsed. */
export function splitHead(
  bytes: Buffer,
  maxHeadBytes = Number.POSITIVE_INFINITY,
): { head: Buffer; rest: Buffer } | undefined {
  const headBytes = bytes.length < lengthBytes ? 0 : bytes.readUInt32BE();
  if (headBytes === 0 || headBytes > maxHeadBytes) return undefined;
  const end = lengthBytes + headBytes;
  return { head: bytes.subarray(lengthBytes, end), rest: bytes.subarray(end) };
}
