import type { Target } from './target.ts';

/** The host is told of a target within this time after a client, or not at all. */
const timeoutMs = 10_000;

/** Targets that clients were told of before the host, and who waits for the host to be. */
export class ExpectedTargets {
  readonly #expected = new Map<string, PromiseWithResolvers<Target | undefined>>();

  /** Resolves when the host is attached to the target; to undefined when it is not in time, or has nothing to do there. */
  wait(targetId: string): Promise<Target | undefined> {
    const expected = this.#expected.get(targetId) ?? Promise.withResolvers<Target | undefined>();
    this.#expected.set(targetId, expected);
    const timer = setTimeout(() => {
      this.#expected.delete(targetId);
      expected.resolve(undefined);
    }, timeoutMs).unref();
    return expected.promise.finally(() => clearTimeout(timer));
  }

  /** The host is attached; undefined means only to resume it. */
  attached(targetId: string, target: Target | undefined): void {
    this.#expected.get(targetId)?.resolve(target);
    this.#expected.delete(targetId);
  }
}
