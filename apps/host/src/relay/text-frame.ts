/** The head of a WebSocket text frame from the server (RFC 6455, 5.2): final, not masked. */
export function textFrameHead(payloadBytes: number): Buffer {
  if (payloadBytes < 126) return Buffer.from([finalText, payloadBytes]);
  if (payloadBytes < 65_536) return Buffer.from([finalText, 126, payloadBytes >> 8, payloadBytes & 0xff]);
  const head = Buffer.allocUnsafe(10);
  head[0] = finalText;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(payloadBytes), 2);
  return head;
}

const finalText = 0x81;
