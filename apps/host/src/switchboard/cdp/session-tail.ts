/**
 * Finds the CDP session of a DevTools message by its last bytes, without parsing it. Messages name their session at the
 * top level, `"sessionId":"<32 hex>"`, and Chromium writes it as the last member.
 *
 * That those bytes are a top-level member, and not text inside a string or a nested object, follows from the JSON
 * grammar: going back from the final brace, every quote is unescaped and opens or closes a string, and the brace itself
 * can only close the outermost object.
 */

const prefix = ',"sessionId":"';
const prefixBytes = Buffer.from(prefix);
const idLength = 32;
const tailLength = prefix.length + idLength + 2;

const closingBrace = 0x7d;
const quote = 0x22;
const [zero, nine, upperA, upperF] = [0x30, 0x39, 0x41, 0x46];

/** Returns where the session id starts in a message from Chromium; -1: the message belongs to no session. */
export function sessionIdAt(bytes: Buffer, start: number, end: number): number {
  if (bytes[end - 1] !== closingBrace) return -1;
  return idBefore(bytes, start, end - 1);
}

const idMember = Buffer.from(',"id":');
const maxDigits = 10;

/** Does the same for a message from a client: some write the message's id after the session's. */
export function clientSessionIdAt(bytes: Buffer, start: number, end: number): number {
  if (bytes[end - 1] !== closingBrace) return -1;
  let at = end - 1;
  while (isDigit(bytes[at - 1] as number) && at > end - 1 - maxDigits) at--;
  if (at < end - 1) {
    at -= idMember.length;
    for (let i = 0; i < idMember.length; i++) if (bytes[at + i] !== idMember[i]) return -1;
  }
  return idBefore(bytes, start, at);
}

/** Returns where the id starts in a `sessionId` member that ends at `end`. */
function idBefore(bytes: Buffer, start: number, end: number): number {
  const id = end - 1 - idLength;
  const at = id - prefix.length;
  if (at <= start || bytes[end - 1] !== quote) return -1;
  for (let i = 0; i < prefix.length; i++) if (bytes[at + i] !== prefixBytes[i]) return -1;
  for (let i = id; i < end - 1; i++) if (!isUpperHex(bytes[i] as number)) return -1;
  return id;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= nine;
}

function isUpperHex(byte: number): boolean {
  return isDigit(byte) || (byte >= upperA && byte <= upperF);
}

/** Removes the session id from a message of Chromium, in place. Returns the new end. */
export function withoutSessionId(bytes: Buffer, end: number): number {
  const shorter = end - tailLength;
  bytes[shorter] = closingBrace;
  return shorter + 1;
}

/** Reads session ids as text. Most messages have the same id as the one before, so that text is kept. */
export class CdpSessionIds {
  readonly #bytes = Buffer.alloc(idLength);
  #id = '';

  /** Takes what `sessionIdAt` returned. Returns undefined for -1. */
  read(bytes: Buffer, at: number): string | undefined {
    if (at === -1) return undefined;
    for (let i = 0; i < idLength; i++) {
      if (bytes[at + i] !== this.#bytes[i]) {
        this.#id = bytes.toString('latin1', at, at + idLength);
        bytes.copy(this.#bytes, 0, at, at + idLength);
        break;
      }
    }
    return this.#id;
  }
}

/** Returns the member that takes the place of a message's last brace. */
export function sessionIdMember(cdpSessionId: string): string {
  return `${prefix}${cdpSessionId}"}`;
}
