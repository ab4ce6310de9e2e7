import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page, Request } from 'playwright-core';

export const actionTimeoutMs = 15_000;
const loadTimeoutMs = 15_000;
/** A ref that is no longer on the page, which has changed since it was read. */
export class StaleRefError extends Error {
  override name = 'StaleRefError';
}

/** Within this time a page that navigates after an action has begun to. */
const reactionMs = 250;

/** Finds an element by its ref in the accessibility tree, or by a selector. There is no wait for a ref. */
export async function element(page: Page, target: string): Promise<Locator> {
  if (!/^(f\d+)?e\d+$/.test(target)) return page.locator(target);
  const found = page.getByRef(target);
  if ((await found.count()) === 0) throw new StaleRefError(`There is no element ${target} on the page now.`);
  return found;
}

/** Runs an action on the page, and waits for the navigation that it may start. */
export async function act(page: Page, action: () => Promise<unknown>): Promise<void> {
  let leaving = false;
  const onRequest = (request: Request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) leaving = true;
  };
  page.on('request', onRequest);
  try {
    await action();
    await delay(reactionMs);
    // A page that takes longer can still be read.
    if (leaving) await page.waitForLoadState('load', { timeout: loadTimeoutMs }).catch(() => {});
  } finally {
    page.off('request', onRequest);
  }
}
