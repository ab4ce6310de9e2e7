const masked = 0x80;
const maskBytes = 4;
const maxControlBytes = 125;
/** RFC 6455, 5.2: final, and an opcode of ping or pong. */
const pingOrPong = new Set([0x89, 0x8a]);

/** Whether what came from a WebSocket client is whole pings and pongs, and nothing else. */
export function isOnlyPings(chunk: Buffer): boolean {
  let at = 0;
  while (at + 2 <= chunk.length) {
    const length = (chunk[at + 1] as number) - masked;
    if (!pingOrPong.has(chunk[at] as number) || length < 0 || length > maxControlBytes) return false;
    at += 2 + maskBytes + length;
  }
  return at === chunk.length && at > 0;
}
