/** A signal that a timeout or another signal aborts. */
export interface Bounds extends Disposable {
  readonly signal: AbortSignal;
  /** Whether the timeout aborted it. */
  readonly isLate: boolean;
}

/**
 * Aborts when one of the signals does or the time is up. The caller must dispose it. Replaces `AbortSignal.any` with an
 * `AbortSignal.timeout`: Node 24 leaks the result of that once it is passed to `AbortSignal.any` again, and keeps every
 * timer until it fires.
 */
export function within(ms: number, ...signals: readonly AbortSignal[]): Bounds {
  const controller = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = !controller.signal.aborted;
    controller.abort(new DOMException(`It took longer than ${ms} ms`, 'TimeoutError'));
  }, ms).unref();
  const follow = (event: Event) => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    signal.addEventListener('abort', follow, { once: true });
  }
  return {
    signal: controller.signal,
    get isLate() {
      return isLate;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', follow);
    },
  };
}
