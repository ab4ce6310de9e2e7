import { attempt, type CalledPage, inTime } from '../called-page.ts';
import { checked } from '../devtools/page-world.ts';
import { PageError } from '../page-error.ts';
import { callInPage, waitInPage } from '../page-script.ts';
import { removeBanners } from './consent-banners.ts';

const defaultPollMs = 50;
const scrollLimits = { steps: 200, pixels: 50_000, ms: 15_000 };
/** How long a page may take to load what scrolling made it ask for. */
const scrolledLoadMs = 3000;

/** Does what the caller asks for between the load and the reading, in Browserless's order. */
export async function preparePage(page: CalledPage): Promise<void> {
  const { parameters, banners } = page;
  for (const tag of parameters.addStyleTag ?? []) await addTag(page, 'style', tag);
  for (const tag of parameters.addScriptTag ?? []) await addTag(page, 'script', tag);
  const { waitForTimeout, waitForSelector, waitForFunction } = parameters;
  if (waitForTimeout)
    await attempt(page, () => inTime(page, 'waitForTimeout', undefined, sleep(waitForTimeout)));
  if (waitForFunction) await attempt(page, () => waitForCaller(page, waitForFunction));
  if (waitForSelector) await attempt(page, () => waitForElement(page, waitForSelector));
  if (parameters.scrollPage) await attempt(page, () => scroll(page));
  // At last: banners come late.
  if (banners) await attempt(page, () => removeBanners(page, banners));
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Tag = NonNullable<CalledPage['parameters']['addScriptTag']>[number];

async function addTag(page: CalledPage, kind: 'script' | 'style', tag: Tag): Promise<void> {
  const name = kind === 'script' ? 'addScriptTag' : 'addStyleTag';
  await attempt(page, async () => {
    const added = page.world.evaluateText(callInPage('addTag', kind, tag));
    if ((await inTime(page, name, undefined, added)) === 'added') return;
    throw new PageError(
      'PAGE_SCRIPT',
      `${name} could not load ${tag.url?.slice(0, 200)}. Check its address.`,
    );
  });
}

type Wait = NonNullable<CalledPage['parameters']['waitForSelector']>;

/** Waits for an element: `waitForSelector`, and those that scrape reads. */
export async function waitForElement(
  page: CalledPage,
  { selector, visible, hidden, timeout }: Wait,
): Promise<void> {
  const ms = timeOf(page, timeout);
  const wanted = hidden ? 'hidden' : visible ? 'visible' : 'there';
  const waiting = page.world.evaluateText(callInPage('waitForElement', selector, wanted, ms), 'repeat');
  const result = await inTime(page, `Waiting for ${selector.slice(0, 200)}`, timeout, waiting);
  if (result === 'late') throw late(`Waiting for ${selector.slice(0, 200)}`, ms);
}

async function waitForCaller(
  page: CalledPage,
  { fn, polling, timeout }: NonNullable<CalledPage['parameters']['waitForFunction']>,
): Promise<void> {
  const ms = timeOf(page, timeout);
  const expression = waitInPage(fn, typeof polling === 'number' ? polling : defaultPollMs, ms);
  const waiting = page.devtools
    .send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    .then(checked);
  const { result } = await inTime(page, 'waitForFunction', timeout, waiting);
  if (result.value === 'late') throw late('waitForFunction', ms);
}

function timeOf({ deadline }: CalledPage, timeout: number | undefined): number {
  const restMs = Math.max(0, Math.round(deadline - performance.now()));
  return Math.min(restMs, timeout || restMs);
}

const late = (step: string, ms: number) =>
  new PageError('PAGE_TIMEOUT', `${step} took longer than ${Math.round(ms)} ms.`);

async function scroll(page: CalledPage): Promise<void> {
  const { world, events } = page;
  const ms = Math.min(scrollLimits.ms, timeOf(page, undefined) / 2);
  const scrolling = world.evaluateText(callInPage('scrollDown', { ...scrollLimits, ms }));
  const result = await inTime(page, 'scrollPage', undefined, scrolling);
  if (result.startsWith('!'))
    events.warn(`The page goes on: scrollPage stopped after ${result.slice(1)} pixels.`);
  const endsAt = performance.now() + scrolledLoadMs;
  while (!events.idle.has(2) && performance.now() < endsAt)
    await Promise.race([events.changed, sleep(Math.max(0, endsAt - performance.now()))]);
}
