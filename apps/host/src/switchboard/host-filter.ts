import type { FilteredClient, MessageFilter } from '../filters/message-filter.ts';
import { concernsHost } from './concerns-host.ts';

/** Counts what clients send, and shows the host what concerns it. The host passes that on, changed or not, or answers it. */
export class HostFilter implements MessageFilter {
  readonly #count: () => void;
  /** Clients' CDP sessions with the browser itself. */
  readonly #browserSessions = new Set<string>();

  constructor(count: () => void) {
    this.#count = count;
  }

  fromClient(
    client: FilteredClient,
    cdpSessionId: string | undefined,
    bytes: Buffer,
    start: number,
    end: number,
  ): null | undefined {
    this.#count();
    if (cdpSessionId !== undefined && !this.#isShown(cdpSessionId, bytes, start, end)) return undefined;
    client.showHost(cdpSessionId, bytes, start, end);
    return null;
  }

  fromBrowser(): undefined {}

  /** Shows the host all that is for the browser itself: only there can a client load an extension. */
  addBrowserSession(cdpSessionId: string): void {
    this.#browserSessions.add(cdpSessionId);
  }

  detached(cdpSessionId: string): void {
    this.#browserSessions.delete(cdpSessionId);
  }

  #isShown(cdpSessionId: string, bytes: Buffer, start: number, end: number): boolean {
    const isForBrowser = this.#browserSessions.size > 0 && this.#browserSessions.has(cdpSessionId);
    return isForBrowser || concernsHost(bytes, start, end);
  }
}
