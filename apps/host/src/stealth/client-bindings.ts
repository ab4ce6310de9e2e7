import type { OwnCommands } from './own-commands.ts';
import { bindingStandIn } from './page-scripts.ts';
import type { TellingStrings } from './telling-strings.ts';

interface Binding {
  /** As the browser knows it. */
  name: string;
  /** The isolated world that has it, as the browser knows it; undefined: all contexts. */
  world: string | undefined;
  /** The script that stands in for it in new documents. */
  scriptId: string | undefined;
}

/** More than clients have. Further ones are only in documents that are there when they are added. */
const maxBindings = 1000;

/** More calls than pages make before their contexts are known. Further ones are lost. */
const maxHeld = 1000;

const calledStart = '{"method":"Runtime.bindingCalled","params":{"name":';
const called = /^\{"method":"Runtime\.bindingCalled","params":\{"name":("[^"\\]*")/;
const calledBytes = 1000;

/**
 * The bindings of one CDP session. Without the Runtime domain Chromium adds a binding to contexts that exist, and not to
 * new ones. So each is added again for each new document, and a script stands in for it until then.
 */
export class ClientBindings {
  readonly #commands: OwnCommands;
  readonly #strings: TellingStrings;
  /** By the names that the client gave them. */
  readonly #bindings = new Map<string, Binding>();

  /** Calls from contexts that the client does not know yet, by context. */
  readonly #held = new Map<number, Buffer[]>();
  #heldCount = 0;

  constructor(commands: OwnCommands, strings: TellingStrings) {
    this.#commands = commands;
    this.#strings = strings;
  }

  /** Returns the name to add the binding by. */
  add(name: string, world: string | undefined): string {
    const hidden = this.#strings.bindingName(name);
    if (this.#bindings.size >= maxBindings || this.#bindings.has(name)) return hidden;
    const binding: Binding = { name: hidden, world, scriptId: undefined };
    this.#bindings.set(name, binding);
    const script = { source: bindingStandIn(hidden), ...(world !== undefined && { worldName: world }) };
    this.#commands.call('Page.addScriptToEvaluateOnNewDocument', script, (result) => {
      binding.scriptId = result?.identifier;
    });
    return hidden;
  }

  /** Returns the name to remove the binding by. */
  remove(name: string): string {
    const binding = this.#bindings.get(name);
    this.#bindings.delete(name);
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
    if (this.#heldCount >= maxHeld) return;
    this.#heldCount += 1;
    this.#held.set(contextId, [...(this.#held.get(contextId) ?? []), event]);
  }

  /** Returns the calls that were held for the context. */
  takeHeld(contextId: number): readonly Buffer[] {
    const events = this.#held.get(contextId) ?? [];
    this.#held.delete(contextId);
    this.#heldCount -= events.length;
    return events;
  }

  dropHeld(): void {
    this.#held.clear();
    this.#heldCount = 0;
  }

  /** Returns the event with the client's own name of the binding; undefined: it has that already. */
  renamed(event: Buffer, name: string): Buffer | undefined {
    const [given] = [...this.#bindings].find(([, binding]) => binding.name === name) ?? [];
    if (given === undefined || given === name) return undefined;
    const rest = event.subarray(calledStart.length + JSON.stringify(name).length);
    return Buffer.concat([Buffer.from(`${calledStart}${JSON.stringify(given)}`), rest]);
  }
}

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
