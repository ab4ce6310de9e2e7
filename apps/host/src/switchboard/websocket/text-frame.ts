const finalText = 0x81;
export const maxHeadBytes = 10;

/** Writes the head of a server's WebSocket text frame (RFC 6455, 5.2), final and not masked. Returns its length. */
export function writeTextFrameHead(to: Buffer, at: number, payloadBytes: number): number {
  to[at] = finalText;
  if (payloadBytes < 126) {
    to[at + 1] = payloadBytes;
    return 2;
  }
  if (payloadBytes < 65_536) {
    to[at + 1] = 126;
    to[at + 2] = payloadBytes >> 8;
    to[at + 3] = payloadBytes & 0xff;
    return 4;
  }
  to[at + 1] = 127;
  to.writeBigUInt64BE(BigInt(payloadBytes), at + 2);
  return maxHeadBytes;
}
