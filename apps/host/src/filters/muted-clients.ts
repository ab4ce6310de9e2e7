import type { MessageFilter } from './message-filter.ts';

/** Drops what clients send: their browser ends. */
export class MutedClients implements MessageFilter {
  fromClient(): null {
    return null;
  }

  fromBrowser(): undefined {}
}
