import type { DetectableStrings } from './detectable-strings.ts';
import type { OwnCommands } from './own-commands.ts';
import { bindingStandIn } from './page-scripts.ts';
import { objectBytes, type Room } from './room.ts';

interface Binding {
  /** As the client knows it. */
  given: string;
  /** As the browser knows it. */
  name: string;
  /** The isolated world that has it, as the browser knows it; undefined means all contexts. */
  world: string | undefined;
  /** The script that stands in for it in new documents. */
  scriptId: string | undefined;
}

/** More than clients have, and longer. Others are only in documents that are there when they are added. */
const maxBindings = 500;
const maxNameLength = 1000;

/** More than pages call before their contexts are known. Further calls are lost. */
const maxHeldBytes = 4 * 2 ** 20;

const calledStart = '{"method":"Runtime.bindingCalled","params":{"name":';
const called = /^\{"method":"Runtime\.bindingCalled","params":\{"name":("[^"\\]*")/;
const calledBytes = 1000;

/**
 * The bindings of one CDP session. Without the Runtime domain Chromium adds a binding to contexts that exist, and not to
 * new ones. So each is added again for each new document, and a script stands in for it until then.
 */
export class ClientBindings {
  readonly #commands: OwnCommands;
  readonly #strings: DetectableStrings;
  readonly #room: Room;
  /** By the names that the client gave them, and by those that the browser knows. */
  readonly #bindings = new Map<string, Binding>();
  readonly #byHidden = new Map<string, Binding>();

  /** Calls from contexts that the client does not know yet, by context. */
  readonly #held = new Map<number, Buffer[]>();
  #heldBytes = 0;

  constructor(commands: OwnCommands, strings: DetectableStrings, room: Room) {
    this.#commands = commands;
    this.#strings = strings;
    this.#room = room;
  }

  /** Returns the name to add the binding by. */
  add(name: string, world: string | undefined): string {
    const hidden = this.#strings.bindingName(name);
    if (this.#bindings.size >= maxBindings || this.#bindings.has(name)) return hidden;
    const binding: Binding = { given: name, name: hidden, world, scriptId: undefined };
    if (name.length > maxNameLength || (world?.length ?? 0) > maxNameLength) return hidden;
    if (!this.#room.take(bytesOf(binding))) return hidden;
    this.#bindings.set(name, binding);
    this.#byHidden.set(hidden, binding);
    const script = { source: bindingStandIn(hidden), ...(world !== undefined && { worldName: world }) };
    this.#commands.call('Page.addScriptToEvaluateOnNewDocument', script, (result) => {
      binding.scriptId = result?.identifier;
    });
    return hidden;
  }

  /** Returns the name to remove the binding by. */
  remove(name: string): string {
    const binding = this.#bindings.get(name);
    if (binding) {
      this.#bindings.delete(name);
      this.#byHidden.delete(binding.name);
      this.#room.give(bytesOf(binding));
    }
    if (binding?.scriptId !== undefined) {
      const script = { identifier: binding.scriptId };
      this.#commands.call('Page.removeScriptToEvaluateOnNewDocument', script);
    }
    return this.#strings.bindingName(name);
  }

  removeAll(): void {
    for (const name of [...this.#bindings.keys()]) this.remove(name);
  }

  /** Adds all bindings to the contexts of a new document. */
  addAgain(): void {
    for (const { name, world } of this.#bindings.values()) {
      const where = world === undefined ? {} : { executionContextName: world };
      this.#commands.call('Runtime.addBinding', { name, ...where });
    }
  }

  /** Holds a call until the client knows its context. */
  hold(event: Buffer, contextId: number): void {
    const bytes = event.length + objectBytes;
    if (this.#heldBytes + bytes > maxHeldBytes || !this.#room.take(bytes)) return;
    this.#heldBytes += bytes;
    const events = this.#held.get(contextId);
    if (events) events.push(event);
    else this.#held.set(contextId, [event]);
  }

  /** Returns the calls that were held for the context. */
  takeHeld(contextId: number): readonly Buffer[] {
    const events = this.#held.get(contextId) ?? [];
    this.#held.delete(contextId);
    for (const { length } of events) this.#give(length + objectBytes);
    return events;
  }

  dropHeld(): void {
    this.#held.clear();
    this.#give(this.#heldBytes);
  }

  /** Returns the event with the client's own name of the binding; undefined if it has that already. */
  renamed(event: Buffer, name: string): Buffer | undefined {
    const { given } = this.#byHidden.get(name) ?? {};
    if (given === undefined || given === name) return undefined;
    const rest = event.subarray(calledStart.length + JSON.stringify(name).length);
    return Buffer.concat([Buffer.from(`${calledStart}${JSON.stringify(given)}`), rest]);
  }

  #give(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#room.give(bytes);
  }
}

const bytesOf = ({ given, name, world }: Binding): number =>
  2 * objectBytes + 2 * (given.length + name.length + (world?.length ?? 0));

/** Returns the binding that a `Runtime.bindingCalled` names, if its name is plain text. */
export function calledBinding(event: Buffer): string | undefined {
  const [, name] = called.exec(event.toString('latin1', 0, calledBytes)) ?? [];
  return name?.slice(1, -1);
}

const lastBytes = 150;

/** Returns the context that a `Runtime.bindingCalled` came from: its last parameter. */
export function calledContext(event: Buffer): number | undefined {
  const end = event.toString('latin1', Math.max(0, event.length - lastBytes));
  const [, id] = /,"executionContextId":(\d+)\},"sessionId":"[0-9A-F]{32}"\}$/.exec(end) ?? [];
  return id === undefined ? undefined : Number(id);
}
