import type { OpenRequest, Savings } from '@turnpike/contract/host';
import type { TypeEstimate } from '@turnpike/contract/traffic';
import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';
import { CacheMeter } from './cache-meter.ts';
import type { RequestBlocker, RequestTarget } from './request-blocker.ts';

/** What a session does to use less traffic, seen from its targets, and what that saved. */
export class Saving {
  readonly #blocker: RequestBlocker | undefined;
  readonly #meter: CacheMeter | undefined;

  constructor(controller: Controller, { cache }: Pick<OpenRequest, 'cache'>, blocker?: RequestBlocker) {
    this.#blocker = blocker;
    this.#meter = cache && new CacheMeter(controller);
  }

  /** The requests of a target to pause. */
  patternsFor(targetType: string): Protocol.Fetch.RequestPattern[] {
    return this.#blocker?.patternsFor(targetType) ?? [];
  }

  /** Commands for a new target, before it runs, beside the pausing of requests. */
  commandsFor(targetType: string): readonly Command[] {
    return this.#meter?.commandsFor(targetType) ?? [];
  }

  refuses(paused: Protocol.Fetch.RequestPausedEvent, target: RequestTarget): boolean {
    return this.#blocker?.refuses(paused, target) ?? false;
  }

  /** Bytes that came over the network, by type of resource. Undefined if the browser is not asked for it. */
  get estimate(): TypeEstimate | undefined {
    return this.#meter?.byType;
  }

  /** Undefined if the session was opened without. */
  get savings(): Savings | undefined {
    if (!this.#blocker && !this.#meter) return undefined;
    return {
      ...(this.#blocker && { refusedRequests: this.#blocker.refused }),
      ...(this.#meter && { bytesFromCache: this.#meter.bytes }),
    };
  }
}
