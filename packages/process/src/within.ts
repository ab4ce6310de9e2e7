/** A time, and what else may end it. */
export interface Bounds extends Disposable {
  readonly signal: AbortSignal;
  /** It was the time that ended it. */
  readonly isLate: boolean;
}

/**
 * Aborts when one of the signals does or the time is up, until it is disposed of, which is to be done. In place of
 * `AbortSignal.any` with an `AbortSignal.timeout`: Node 24 keeps for ever what that made, once it is given to
 * `AbortSignal.any` again, and every timer until its time.
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
