import type { PageParameters } from '@turnpike/contract/page/page-request';
import type { FilterList } from '../saving/filter-list.ts';
import type { DevTools } from './devtools/devtools.ts';
import type { PageWorld } from './devtools/page-world.ts';
import type { ConditionalLoad } from './load/conditional-load.ts';
import type { PageEvents } from './load/page-events.ts';
import { PageError } from './page-error.ts';

/** A page that a call is about, while the call lasts. */
export interface CalledPage {
  readonly parameters: PageParameters;
  /** Of the main frame. It is the id of the target. */
  readonly frameId: string;
  readonly devtools: DevTools;
  readonly events: PageEvents;
  readonly world: PageWorld;
  /** When the call has to be over, by `performance.now()`. */
  readonly deadline: number;
  /** With `blockConsentModals`; set before the page is set up. */
  banners?: FilterList;
  /** Set if the page is loaded only if it has changed. */
  readonly condition?: ConditionalLoad;
}

/**
 * Waits for one step of a call, for the given time or as long as the call may take. Rejects with `PAGE_TIMEOUT`. What
 * is waited for ends with the connection.
 */
export async function inTime<Result>(
  { devtools, deadline }: Pick<CalledPage, 'devtools' | 'deadline'>,
  step: string,
  timeoutMs: number | undefined,
  work: Promise<Result>,
): Promise<Result> {
  const restMs = Math.max(0, deadline - performance.now());
  const ms = Math.min(restMs, timeoutMs || restMs); // 0 means no timeout of its own, as in Puppeteer.
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new PageError('PAGE_TIMEOUT', `${step} took longer than ${Math.round(ms)} ms.`)),
    ms,
  );
  try {
    return await Promise.race([work, late, devtools.failed]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a step that a call with `bestAttempt` may do without: its failure is a warning then. */
export async function attempt(page: CalledPage, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const goesOn = page.parameters.bestAttempt && error instanceof PageError && !isFinal(error);
    if (!goesOn) throw error;
    page.events.warn(error.message);
  }
}

const final = new Set(['PAGE_CLOSED', 'PAGE_CRASHED', 'PAGE_TOO_LARGE', 'PAGE_URL']);
const isFinal = ({ code }: PageError) => final.has(code);
