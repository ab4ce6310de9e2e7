import type { MessageFilter } from './message-filter.ts';

/** Lets what clients send wait while a person has the browser to themselves. */
export class PausedClients implements MessageFilter {
  isPaused = false;

  fromClient(): 'wait' | undefined {
    return this.isPaused ? 'wait' : undefined;
  }

  fromBrowser(): undefined {}
}
