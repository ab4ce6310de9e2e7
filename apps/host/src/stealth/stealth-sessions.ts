import { type InItsPlace, StealthSession, type StealthWire } from './stealth-session.ts';
import { TellingStrings } from './telling-strings.ts';

/** Where to look for a session's id in a client's message that does not end with it. */
const [firstBytes, lastBytes] = [300, 100];
const idPattern = /"sessionId":\s*"([0-9A-F]{32})"/;

/** All CDP sessions of clients with one browser, in a session with `stealth`. */
export class StealthSessions {
  readonly #strings = new TellingStrings();
  readonly #sessions = new Map<string, StealthSession>();

  fromClient(cdpSessionId: string, message: Buffer, wire: StealthWire): InItsPlace {
    let session = this.#sessions.get(cdpSessionId);
    if (!session) {
      session = new StealthSession(cdpSessionId, this.#strings, wire);
      this.#sessions.set(cdpSessionId, session);
    }
    return session.fromClient(message);
  }

  fromBrowser(cdpSessionId: string, bytes: Buffer, start: number, end: number): InItsPlace {
    return this.#sessions.get(cdpSessionId)?.fromBrowser(bytes, start, end);
  }

  delete(cdpSessionId: string): void {
    this.#sessions.delete(cdpSessionId);
  }
}

/** Finds the CDP session of a client's message near its start or its end; undefined: it is not there. */
export function findSessionId(message: Buffer): string | undefined {
  const first = idPattern.exec(message.toString('latin1', 0, firstBytes));
  const found = first ?? idPattern.exec(message.toString('latin1', Math.max(0, message.length - lastBytes)));
  return found?.[1];
}
