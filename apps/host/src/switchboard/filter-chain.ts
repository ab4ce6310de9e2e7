import type { FilteredClient, FilterWire, MessageFilter } from '../filters/message-filter.ts';

/** The order of filters. What a client sends meets them from first to last, what its browser sends from last to first. */
const order = [
  /** Drops what clients send, because the browser ends. */
  'muted',
  /** Lets what clients send wait while a person has the browser to themselves. */
  'paused',
  /** Lets what is for a CDP session wait that the host has not released yet. */
  'unreleased',
  /** Says when a browser that sleeps is needed, in a session with `standby`. Behind those that see a message again. */
  'standby',
  /** Tells the host of commands and their answers, as the client sees them, in a session that is recorded. */
  'tap',
  /** Hides the host's own scripts from clients. */
  'hiddenScripts',
  /** Shows the host what concerns it. */
  'host',
  /** Hides clients from pages, in a session with `stealth`. */
  'stealth',
] as const;

export type FilterName = (typeof order)[number];

type SendToBrowser = (bytes: Buffer, start: number, end: number) => void;

/** The filters between one browser and its clients. A session has only those that it needs. */
export class FilterChain {
  readonly #named: Partial<Record<FilterName, MessageFilter>> = {};
  readonly #sendToBrowser: SendToBrowser;
  #filters: readonly MessageFilter[] = [];

  constructor(sendToBrowser: SendToBrowser) {
    this.#sendToBrowser = sendToBrowser;
  }

  /** Returns the filter of this name, and puts it in its place before if there is none. */
  use<F extends MessageFilter>(name: FilterName, create: (wire: FilterWire) => F): F {
    const present = this.#named[name];
    if (present) return present as F;
    const wire: FilterWire = {
      toBrowser: (client, cdpSessionId, text) => {
        const bytes = Buffer.from(text);
        this.fromClient(client, cdpSessionId, bytes, 0, bytes.length, filter);
      },
      toClient: (client, cdpSessionId, text) => {
        const bytes = Buffer.from(text);
        this.fromBrowser(client, cdpSessionId, bytes, 0, bytes.length, filter);
      },
    };
    const filter = create(wire);
    this.#named[name] = filter;
    this.#filters = order.flatMap((each) => this.#named[each] ?? []);
    return filter;
  }

  /** Whether no filter looks at what comes from this one. */
  isLast(filter: MessageFilter): boolean {
    return this.#filters.at(-1) === filter;
  }

  /** Sends a client's message through all filters, or those after `sender`. Returns false if it has to wait. */
  fromClient(
    client: FilteredClient,
    cdpSessionId: string | undefined,
    bytes: Buffer,
    start: number,
    end: number,
    sender?: MessageFilter,
  ): boolean {
    let message = bytes;
    let from = start;
    let to = end;
    for (let i = sender ? this.#filters.indexOf(sender) + 1 : 0; i < this.#filters.length; i++) {
      const filter = this.#filters[i] as MessageFilter;
      const other = filter.fromClient(client, cdpSessionId, message, from, to);
      if (other === undefined) continue;
      if (other === 'wait') return false;
      if (other === null) return true;
      message = other;
      from = 0;
      to = other.length;
    }
    this.#sendToBrowser(message, from, to);
    return true;
  }

  /** Sends a browser's message through all filters, or those before `sender`, to the client. */
  fromBrowser(
    client: FilteredClient,
    cdpSessionId: string,
    bytes: Buffer,
    start: number,
    end: number,
    sender?: MessageFilter,
  ): void {
    let message = bytes;
    let from = start;
    let to = end;
    for (let i = (sender ? this.#filters.indexOf(sender) : this.#filters.length) - 1; i >= 0; i--) {
      const filter = this.#filters[i] as MessageFilter;
      const other = filter.fromBrowser(client, cdpSessionId, message, from, to);
      if (other === undefined) continue;
      if (other === null) return;
      message = other;
      from = 0;
      to = other.length;
    }
    client.deliver(cdpSessionId, message, from, to);
  }

  /** Forgets a CDP session that has ended. */
  detached(cdpSessionId: string): void {
    for (const filter of this.#filters) filter.detached?.(cdpSessionId);
  }
}
