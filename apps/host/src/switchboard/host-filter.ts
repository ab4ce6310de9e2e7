import type { FilteredClient, MessageFilter } from '../filters/message-filter.ts';
import { concernsHost } from './concerns-host.ts';

/** Counts what clients send, and shows the host what concerns it. The host passes that on, changed or not, or answers it. */
export class HostFilter implements MessageFilter {
  readonly #count: () => void;

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
    if (cdpSessionId !== undefined && !concernsHost(bytes, start, end)) return undefined;
    client.showHost(cdpSessionId, bytes, start, end);
    return null;
  }

  fromBrowser(): undefined {}
}
