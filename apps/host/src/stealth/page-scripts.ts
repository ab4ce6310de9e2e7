/**
 * Scripts that stand in for what Chromium does only where the Runtime domain is enabled. They run in new documents
 * before the page's own scripts. They are sent as text, so each may use nothing from outside itself.
 */

type Binding = (payload: string) => void;

/**
 * Takes a binding's calls until Chromium has installed the binding, which it does late, and passes them on then. It
 * looks native, and is gone when the binding is there.
 */
function standInForBinding(name: string): void {
  const scope = globalThis as unknown as Record<string, Binding | undefined>;
  if (scope[name]) return;
  const { defineProperty } = Object;
  const { apply } = Reflect;
  const soon = Promise.resolve();
  const { then: whenDone } = Promise.prototype;
  const waiting: string[] = [];
  let binding: Binding | undefined;
  const passOn = () => {
    for (let i = 0; i < waiting.length; i++) binding?.(waiting[i] as string);
  };
  const standIn = ((payload: string) => {
    if (binding) binding(payload);
    else if (waiting.length < 1000) waiting[waiting.length] = payload;
  }).bind(undefined);
  defineProperty(scope, name, {
    configurable: true,
    enumerable: true,
    get: () => standIn,
    set(installed: Binding) {
      binding = installed;
      defineProperty(scope, name, {
        value: installed,
        configurable: true,
        enumerable: true,
        writable: true,
      });
      // Not at once: Chromium tells of calls only when it has installed the binding. A timer would not run from here.
      if (waiting.length > 0) apply(whenDone, soon, [passOn]);
    },
  });
}

/** An uncaught error, as a listener in the page describes it. */
export interface UncaughtError {
  isRejection: boolean;
  /** `Uncaught TypeError: x is not a function`; for a rejection the same without `Uncaught`. */
  message: string;
  /** The type of what was thrown. */
  type: string;
  url: string;
  /** Counted from 1; 0 where it is not known. */
  line: number;
  column: number;
}

/**
 * Listens in the page's world, the only one that hears of its errors, and tells an isolated world by an event whose name
 * nobody knows. In a worker it calls the binding itself. Nothing here runs code that the page could have put in place:
 * no getter, method or proxy of its own. So the stack of an error, which may have a getter, is not read.
 */
function hearErrors(eventName: string, bindingName: string): void {
  type Native = (...args: unknown[]) => unknown;
  type Scope = Record<string, Native> & { CustomEvent: new (type: string, options: object) => object };
  const scope = globalThis as unknown as Scope;
  const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
  const { stringify } = JSON;
  const { dispatchEvent, addEventListener, CustomEvent } = scope;
  const { isError } = Error as unknown as { isError?: Native };
  const { get: lookUp } = Map.prototype;
  const binding = scope[bindingName];
  if (binding) delete scope[bindingName];
  const reader = (kind: string, name: string) => {
    const { prototype } = (scope[kind] ?? {}) as { prototype?: object };
    const get = prototype && getOwnPropertyDescriptor(prototype, name)?.get;
    return (event: unknown): unknown => get && apply(get, event, []);
  };
  const messageOf = reader('ErrorEvent', 'message');
  const errorOf = reader('ErrorEvent', 'error');
  const urlOf = reader('ErrorEvent', 'filename');
  const lineOf = reader('ErrorEvent', 'lineno');
  const columnOf = reader('ErrorEvent', 'colno');
  const reasonOf = reader('PromiseRejectionEvent', 'reason');
  const names = new Map<unknown, string>();
  for (const kind of [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]) {
    names.set(kind.prototype, kind.name);
  }
  const describe = (thrown: unknown): string => {
    if (typeof thrown === 'symbol') return 'Symbol()';
    if (typeof thrown !== 'object' && typeof thrown !== 'function') return `${thrown}`;
    if (thrown === null) return 'null';
    if (!isError?.(thrown)) return 'Object';
    const name = apply(lookUp, names, [getPrototypeOf(thrown)]) ?? 'Error';
    const message: unknown = getOwnPropertyDescriptor(thrown, 'message')?.value;
    return typeof message === 'string' && message !== '' ? `${name}: ${message}` : name;
  };
  const tell = (error: UncaughtError) => {
    const detail = stringify({ __proto__: null, ...error });
    if (binding) binding(detail);
    else apply(dispatchEvent as Native, scope, [new CustomEvent(eventName, { __proto__: null, detail })]);
  };
  const onError = (event: { isTrusted: boolean }) => {
    const message = event.isTrusted && messageOf(event);
    if (typeof message !== 'string') return;
    tell({
      isRejection: false,
      message,
      type: typeof errorOf(event),
      url: urlOf(event) as string,
      line: lineOf(event) as number,
      column: columnOf(event) as number,
    });
  };
  const onRejection = (event: { isTrusted: boolean }) => {
    if (!event.isTrusted) return;
    const reason = reasonOf(event);
    tell({ isRejection: true, message: describe(reason), type: typeof reason, url: '', line: 0, column: 0 });
  };
  const listen = () => {
    apply(addEventListener as Native, scope, ['error', onError]);
    apply(addEventListener as Native, scope, ['unhandledrejection', onRejection]);
  };
  listen();
  // Opening a document for writing empties it, and removes all listeners. One that is there is not added twice.
  const { document, MutationObserver: Observer } = globalThis as Partial<typeof globalThis>;
  if (document && Observer)
    new Observer(listen).observe(document, { __proto__: null, childList: true } as object);
}

/** Listens in an isolated world for what `hearErrors` tells, and calls the binding there. */
function passErrorsOn(eventName: string, bindingName: string): void {
  const scope = globalThis as unknown as Record<string, (...args: unknown[]) => void>;
  const onTold = ({ detail }: { detail: unknown }) => {
    if (typeof detail === 'string') scope[bindingName]?.(detail);
  };
  const listen = () => scope['addEventListener']?.(eventName, onTold);
  listen();
  new MutationObserver(listen).observe(document, { childList: true }); // As above.
}

const call = (script: (...words: string[]) => void, ...words: string[]) =>
  `(${script})(${words.map((word) => JSON.stringify(word)).join(',')})`;

export const bindingStandIn = (name: string): string => call(standInForBinding, name);

/** What the error scripts of one CDP session have in common. */
export interface ErrorWords {
  event: string;
  binding: string;
  /** The name of the isolated world. */
  world: string;
}

/** For the page's own world. */
export const pageErrors = ({ event }: ErrorWords): string => call(hearErrors, event, '');

/** For an isolated world of the page. */
export const relayErrors = ({ event, binding }: ErrorWords): string =>
  `${bindingStandIn(binding)};${call(passErrorsOn, event, binding)}`;

/** For a worker that has the binding. */
export const workerErrors = ({ event, binding }: ErrorWords): string => call(hearErrors, event, binding);
