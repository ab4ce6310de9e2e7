import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '@turnpike/host/app';

const retryMs = 10_000;

type Probed = Pick<Host, 'probe'>;

/** Waits for a first browser. Resolves to the reason if it does not start. */
export async function browserProblem(host: Probed): Promise<string | undefined> {
  try {
    await host.probe();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Calls back when a browser starts after all, unless the signal aborts before. */
export async function onBrowserStart(host: Probed, signal: AbortSignal, callback: () => void): Promise<void> {
  for (;;) {
    await delay(retryMs, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    if ((await browserProblem(host)) === undefined) return callback();
  }
}
