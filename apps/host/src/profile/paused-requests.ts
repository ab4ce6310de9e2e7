import type { Protocol } from 'devtools-protocol';
import type { Command } from '../chromium/protocol.ts';
import type { RequestTarget } from '../saving/request-blocker.ts';
import type { Saving } from '../saving/saving.ts';
import { continueWithLanguages, scriptPattern } from './browser-languages.ts';

interface PausingTarget extends RequestTarget {
  /** Whether the request of its script has yet to be given the languages. */
  awaitsScript: boolean;
}

interface PausedRequestsOptions<Target> {
  saving: Saving | undefined;
  languages: readonly string[];
  send(target: Target, command: Command): void;
}

/** The requests that the host pauses: those that may be refused and, of a service worker, that of its script. */
export class PausedRequests<Target extends PausingTarget> {
  readonly #options: PausedRequestsOptions<Target>;

  constructor(options: PausedRequestsOptions<Target>) {
    this.#options = options;
  }

  begin(target: Target): void {
    const { saving, send } = this.#options;
    const patterns = saving?.patternsFor(target.type) ?? [];
    if (target.awaitsScript) patterns.push(scriptPattern(target.url));
    if (patterns.length > 0) send(target, ['Fetch.enable', { patterns }]);
    for (const command of saving?.commandsFor(target.type) ?? []) send(target, command);
  }

  onPaused(paused: Protocol.Fetch.RequestPausedEvent, target: Target): void {
    const { saving, languages, send } = this.#options;
    const { requestId } = paused;
    if (saving?.refuses(paused, target)) {
      send(target, ['Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }]);
    } else if (target.awaitsScript) {
      send(target, continueWithLanguages(paused, languages));
      this.scriptArrived(target);
    } else send(target, ['Fetch.continueRequest', { requestId }]);
  }

  /** The target has its script, which may have come from the cache, without a request to pause. */
  scriptArrived(target: Target): void {
    if (!target.awaitsScript) return;
    target.awaitsScript = false;
    const { saving, send } = this.#options;
    const patterns = saving?.patternsFor(target.type) ?? [];
    send(target, patterns.length > 0 ? ['Fetch.enable', { patterns }] : ['Fetch.disable', {}]);
  }
}
