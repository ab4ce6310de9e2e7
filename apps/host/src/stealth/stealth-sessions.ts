import type { FilteredClient, FilterWire, MessageFilter, Replacement } from '../filters/message-filter.ts';
import { DetectableStrings } from './detectable-strings.ts';
import { type ByteCount, Room } from './room.ts';
import { StealthSession } from './stealth-session.ts';

/** What the objects of one CDP session take. */
const sessionBytes = 5000;

interface Open {
  session: StealthSession;
  room: Room;
}

/** All CDP sessions of clients with one browser, in a session with `stealth`. */
export class StealthSessions implements MessageFilter {
  readonly #strings = new DetectableStrings();
  readonly #count: ByteCount;
  readonly #wire: FilterWire;
  readonly #open = new Map<string, Open>();

  constructor(count: ByteCount, wire: FilterWire) {
    this.#count = count;
    this.#wire = wire;
  }

  /** Refuses the client if the session may not hold more. */
  fromClient(
    client: FilteredClient,
    cdpSessionId: string | undefined,
    bytes: Buffer,
    start: number,
    end: number,
  ): Replacement {
    if (cdpSessionId === undefined) return undefined;
    const open = this.#open.get(cdpSessionId) ?? this.#begin(client, cdpSessionId);
    if (open) return open.session.fromClient(bytes.subarray(start, end));
    client.refuseForRoom();
    return null;
  }

  fromBrowser(
    _client: FilteredClient,
    cdpSessionId: string,
    bytes: Buffer,
    start: number,
    end: number,
  ): Replacement {
    return this.#open.get(cdpSessionId)?.session.fromBrowser(bytes, start, end);
  }

  detached(cdpSessionId: string): void {
    this.#open.get(cdpSessionId)?.room.close();
    this.#open.delete(cdpSessionId);
  }

  #begin(client: FilteredClient, cdpSessionId: string): Open | undefined {
    const room = new Room(this.#count);
    if (!room.take(sessionBytes)) return undefined;
    const wire = {
      toBrowser: (message: string) => this.#wire.toBrowser(client, cdpSessionId, message),
      toClient: (message: string) => this.#wire.toClient(client, cdpSessionId, message),
    };
    const open = { session: new StealthSession(cdpSessionId, this.#strings, wire, room), room };
    this.#open.set(cdpSessionId, open);
    return open;
  }
}
