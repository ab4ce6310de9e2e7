import type { EventArguments } from '../chromium/protocol.ts';

/** Listens to the browser. */
export interface BrowserEvents {
  on<E extends keyof EventArguments>(event: E, listener: (...args: EventArguments[E]) => void): void;
}
