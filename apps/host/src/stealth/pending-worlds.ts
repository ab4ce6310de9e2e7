import { objectBytes, type Room } from './room.ts';
import { maxNameLength } from './world-names.ts';

interface PendingWorld {
  frameId: string;
  world: string;
}

/** What a client may leave unanswered. */
const maxWaiting = 1000;
const worldBytes = objectBytes + 2 * (maxNameLength + maxNameLength);

/** A client's commands that create isolated worlds and are not answered yet. */
export class PendingWorlds {
  readonly #room: Room;
  readonly #pending = new Map<number, PendingWorld>();

  constructor(room: Room) {
    this.#room = room;
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Remembers that an isolated world will be answered under this id. Chromium's ids of frames are short. */
  add(id: number, pending: PendingWorld): void {
    if (pending.frameId.length > maxNameLength || pending.world.length > maxNameLength) return;
    if (this.#pending.has(id) || this.#pending.size >= maxWaiting || !this.#room.take(worldBytes)) return;
    this.#pending.set(id, pending);
  }

  take(id: number): PendingWorld | undefined {
    const pending = this.#pending.get(id);
    if (this.#pending.delete(id)) this.#room.give(worldBytes);
    return pending;
  }
}
