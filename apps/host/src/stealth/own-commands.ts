import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';
import { objectBytes, type Room } from './room.ts';

type Commands = ProtocolMapping.Commands;
type Method = keyof Commands;

export interface ErrorAnswer {
  error: { code: number; message: string };
}
type Take<M extends Method> = (result: Commands[M]['returnType'] | undefined, error?: ErrorAnswer) => void;

/** More than a page gives reason for before it answers. Further commands are not sent. */
const maxPending = 20_000;

/** The host's own commands in a client's CDP session. Their ids are negative, which no client's are. */
export class OwnCommands {
  readonly #send: (message: { id: number; method: Method; params: object }) => void;
  readonly #room: Room;
  readonly #pending = new Map<number, (answer: object) => void>();
  #lastId = 0;

  constructor(send: (message: { id: number; method: Method; params: object }) => void, room: Room) {
    this.#send = send;
    this.#room = room;
  }

  /** Calls `take` with the result, or without one when there is an error. */
  call<M extends Method>(method: M, params: Commands[M]['paramsType'][0], take?: Take<M>): void {
    if (this.#pending.size >= maxPending || !this.#room.take(objectBytes)) {
      take?.(undefined);
      return;
    }
    this.#lastId -= 1;
    this.#pending.set(this.#lastId, (answer) => {
      if ('result' in answer) take?.(answer.result as Commands[M]['returnType']);
      else take?.(undefined, 'error' in answer ? { error: (answer as ErrorAnswer).error } : undefined);
    });
    this.#send({ id: this.#lastId, method, params: params ?? {} });
  }

  /** Takes an answer of the browser. */
  answered(id: number, answer: object): void {
    const take = this.#pending.get(id);
    if (!take) return;
    this.#pending.delete(id);
    this.#room.give(objectBytes);
    take(answer);
  }
}
