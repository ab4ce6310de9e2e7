import type { Protocol } from 'devtools-protocol';
import type { Saving } from '../saving/saving.ts';
import type { Target } from '../targets/target.ts';
import type { Targets } from '../targets/targets.ts';
import { continueWithLanguages, scriptPattern } from './browser-languages.ts';

interface PausedRequestsOptions {
  saving: Saving | undefined;
  languages: readonly string[];
  targets: Targets;
}

/** The requests that the host pauses: those that may be refused and, of a service worker, that of its script. */
export class PausedRequests {
  readonly #options: PausedRequestsOptions;
  /** Service workers whose script's request has yet to be given the languages. */
  readonly #awaitingScript = new WeakSet<Target>();

  constructor(options: PausedRequestsOptions) {
    this.#options = options;
  }

  begin(target: Target, { awaitsScript }: { awaitsScript: boolean }): void {
    const { saving, targets } = this.#options;
    const patterns = saving?.patternsFor(target.type) ?? [];
    if (awaitsScript) {
      this.#awaitingScript.add(target);
      patterns.push(scriptPattern(target.url));
    }
    if (patterns.length > 0) void targets.send(target, ['Fetch.enable', { patterns }]);
    for (const command of saving?.commandsFor(target.type) ?? []) void targets.send(target, command);
  }

  onPaused(paused: Protocol.Fetch.RequestPausedEvent, target: Target): void {
    const { saving, languages, targets } = this.#options;
    const { requestId } = paused;
    if (saving?.refuses(paused, target)) {
      void targets.send(target, ['Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }]);
    } else if (this.#awaitingScript.has(target)) {
      void targets.send(target, continueWithLanguages(paused, languages));
      this.scriptArrived(target);
    } else void targets.send(target, ['Fetch.continueRequest', { requestId }]);
  }

  /** The target has its script, which may have come from the cache, without a request to pause. */
  scriptArrived(target: Target): void {
    if (!this.#awaitingScript.delete(target)) return;
    const { saving, targets } = this.#options;
    const patterns = saving?.patternsFor(target.type) ?? [];
    void targets.send(target, patterns.length > 0 ? ['Fetch.enable', { patterns }] : ['Fetch.disable', {}]);
  }
}
