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
const tailLength = prefix.length + idLength + 2;

const closingBrace = 0x7d;
const quote = 0x22;
const [zero, nine, upperA, upperF] = [0x30, 0x39, 0x41, 0x46];

/** Where the id starts of the session that a message from Chromium belongs to; -1: it belongs to none. */
export function sessionAt(bytes: Buffer, start: number, end: number): number {
  if (bytes[end - 1] !== closingBrace) return -1;
  return idBefore(bytes, start, end - 1);
}

const idMember = Buffer.from(',"id":');
const maxDigits = 10;

/** The same for clients, of which some write the message's id after the session. */
export function sessionAtOfClient(bytes: Buffer, start: number, end: number): number {
  if (bytes[end - 1] !== closingBrace) return -1;
  let at = end - 1;
  while (isDigit(bytes[at - 1] as number) && at > end - 1 - maxDigits) at--;
  if (at < end - 1) {
    at -= idMember.length;
    for (let i = 0; i < idMember.length; i++) if (bytes[at + i] !== idMember[i]) return -1;
  }
  return idBefore(bytes, start, at);
}

/** Of a session member that ends there. */
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

/** Takes the session off a message from Chromium that has one. Writes into it: nobody else has it. Answers its end. */
export function withoutSession(bytes: Buffer, end: number): number {
  const shorter = end - tailLength;
  bytes[shorter] = closingBrace;
  return shorter + 1;
}

/** Ids of sessions as text. Most messages are of the same session as the one before: that id is not made again. */
export class SessionIds {
  readonly #bytes = Buffer.alloc(idLength);
  #id = '';

  /** Of what `sessionAt` found; undefined: nothing. */
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

export function sessionMember(sessionId: string): string {
  return `${prefix}${sessionId}"}`;
}
