/**
 * DevTools messages name their session at the top level: `"sessionId":"<32 hex>"`. Chromium writes it as the
 * last member, so a message is routed by its last bytes and never parsed.
 *
 * That those bytes are a top-level member, and not text inside a string or a nested object, follows from the
 * JSON grammar: going back from the final brace every quote is unescaped and opens or closes a string, and
 * the brace itself can only close the outermost object.
 */

const prefix = ',"sessionId":"';
const prefixBytes = Buffer.from(prefix);
const idLength = 32;
export const tailLength = prefix.length + idLength + 2;

const closingBrace = 0x7d;
const quote = 0x22;

/** The session a message from Chromium belongs to; undefined: none. */
export function sessionOf(message: Buffer): string | undefined {
  const { length } = message;
  if (length <= tailLength) return undefined;
  if (message[length - 1] !== closingBrace || message[length - 2] !== quote) return undefined;
  const at = length - tailLength;
  for (let i = 0; i < prefix.length; i++) if (message[at + i] !== prefixBytes[i]) return undefined;
  return message.toString('latin1', at + prefix.length, length - 2);
}

/** Takes the session off a message that `sessionOf` found one in. Writes into the message: nobody else has it. */
export function withoutSession(message: Buffer): Buffer {
  const end = message.length - tailLength;
  message[end] = closingBrace;
  return message.subarray(0, end + 1);
}

export function sessionMember(sessionId: string): string {
  return `${prefix}${sessionId}"}`;
}

const clientTailLength = tailLength + ',"id":2147483647'.length;
const clientTail = /,"sessionId":"([0-9A-F]{32})"(?:,"id":\d{1,10})?\}$/;

/** The same for clients, of which some write the message's id after the session. */
export function sessionOfClientMessage(message: Buffer): string | undefined {
  if (message[message.length - 2] === quote) return sessionOf(message);
  const tail = message.toString('latin1', Math.max(0, message.length - clientTailLength));
  return clientTail.exec(tail)?.[1];
}
