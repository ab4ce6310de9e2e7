/** The head of a WebSocket text frame from the server (RFC 6455, 5.2): final, not masked. */
export function textFrameHead(payloadBytes: number): Buffer {
  const head = Buffer.allocUnsafe(payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10);
  head[0] = finalText;
  head[1] = payloadBytes < 126 ? payloadBytes : payloadBytes < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(payloadBytes, 2);
  else if (head.length === 10) head.writeBigUInt64BE(BigInt(payloadBytes), 2);
  return head;
}

const finalText = 0x81;
