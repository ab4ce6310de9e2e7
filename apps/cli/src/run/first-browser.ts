import { setTimeout as delay } from 'node:timers/promises';
import type { Host } from '@turnpike/host/app';
import type { StatusLine } from '../terminal/status-line.ts';

const retryMs = 10_000;

type Probed = Pick<Host, 'probe'>;

/** Waits for a first browser. Resolves to the reason if it does not start, and on a stop to nothing. */
export async function firstBrowserProblem(
  host: Probed,
  status: StatusLine,
  stopped: Promise<unknown>,
): Promise<string | undefined> {
  status.showProgress('Starting the first browser');
  const problem = await Promise.race([browserProblem(host), stopped.then(() => undefined)]);
  status.clear();
  return problem;
}

async function browserProblem(host: Probed): Promise<string | undefined> {
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
