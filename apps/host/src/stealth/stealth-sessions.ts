import { DetectableStrings } from './detectable-strings.ts';
import { type ByteCount, Room } from './room.ts';
import { type ReplacementMessage, StealthSession, type StealthWire } from './stealth-session.ts';

/** What the objects of one CDP session take. */
const sessionBytes = 5000;

interface Open {
  session: StealthSession;
  room: Room;
}

/** All CDP sessions of clients with one browser, in a session with `stealth`. */
export class StealthSessions {
  readonly #strings = new DetectableStrings();
  readonly #count: ByteCount;
  readonly #open = new Map<string, Open>();

  constructor(count: ByteCount) {
    this.#count = count;
  }

  /**
   * Takes a message to a CDP session that its client has. `wire` is asked for once in each CDP session. Returns
   * `no room` if the session may not hold more.
   */
  fromClient(cdpSessionId: string, message: Buffer, wire: () => StealthWire): ReplacementMessage | 'no room' {
    const open = this.#open.get(cdpSessionId) ?? this.#begin(cdpSessionId, wire);
    return open ? open.session.fromClient(message) : 'no room';
  }

  fromBrowser(cdpSessionId: string, bytes: Buffer, start: number, end: number): ReplacementMessage {
    return this.#open.get(cdpSessionId)?.session.fromBrowser(bytes, start, end);
  }

  /** The CDP session has ended. */
  delete(cdpSessionId: string): void {
    this.#open.get(cdpSessionId)?.room.close();
    this.#open.delete(cdpSessionId);
  }

  #begin(cdpSessionId: string, wire: () => StealthWire): Open | undefined {
    const room = new Room(this.#count);
    if (!room.take(sessionBytes)) return undefined;
    const open = { session: new StealthSession(cdpSessionId, this.#strings, wire(), room), room };
    this.#open.set(cdpSessionId, open);
    return open;
  }
}
