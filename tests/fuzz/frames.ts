import { randomBytes } from 'node:crypto';

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A client's WebSocket frame (RFC 6455, 5.2), masked. */
export function frame(payload: Buffer, kind: number = opcode.text, isFinal = true): Buffer {
  const length = payload.length;
  const head =
    length < 126
      ? Buffer.from([0, 0x80 | length])
      : length < 65_536
        ? Buffer.from([0, 0x80 | 126, length >> 8, length & 0xff])
        : Buffer.concat([Buffer.from([0, 0x80 | 127]), bigEndian(length)]);
  head[0] = (isFinal ? 0x80 : 0) | kind;
  const mask = randomBytes(4);
  const masked = Buffer.from(payload);
  for (let i = 0; i < length; i++) masked[i] = (masked[i] as number) ^ (mask[i % 4] as number);
  return Buffer.concat([head, mask, masked]);
}

export function textFrame(message: object): Buffer {
  return frame(Buffer.from(JSON.stringify(message)));
}

function bigEndian(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

export function upgradeRequest(path: string, host: string): Buffer {
  return Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  );
}
