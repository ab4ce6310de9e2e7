import { type CalledPage, inTime } from '../called-page.ts';
import { PageError } from '../page-error.ts';
import { unchanged } from './conditional-load.ts';
import { errorOfNetError, errorOfStatus } from './load-errors.ts';
import { checkPageUrl } from './page-url.ts';

type WaitUntil = 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';

/** With `bestAttempt` the page gets this part of the time, so that some is left to read it. */
const attemptPart = 0.6;

/** Shows `url` or `html` and waits for it. Without either the page stays as it is. */
export async function loadPage(page: CalledPage): Promise<void> {
  const { url, html, gotoOptions, bestAttempt } = page.parameters;
  if (url === undefined && html === undefined) return;
  const restMs = page.deadline - performance.now();
  const timeoutMs = gotoOptions?.timeout ?? (bestAttempt ? restMs * attemptPart : undefined);
  const load = url === undefined ? showHtml(page, html ?? '') : goTo(page, checkPageUrl(url));
  load.catch(() => {}); // Raced below.
  try {
    await inTime(page, 'Loading the page', timeoutMs, load);
  } catch (error) {
    if (!isLate(error) || !bestAttempt || !hasDocument(page)) throw error;
    page.events.warn(error.message);
  }
  if (!page.events.download) checkStatus(page);
}

const isLate = (error: unknown): error is PageError =>
  error instanceof PageError && error.code === 'PAGE_TIMEOUT';

/** Whether there is something to read, although not all of it has come. */
function hasDocument({ events, parameters }: CalledPage): boolean {
  return parameters.url === undefined || events.response(events.current.loaderId) !== undefined;
}

interface GotoOptions {
  referer?: string;
  waitUntil?: WaitUntil | WaitUntil[];
}

const optionsOf = ({ parameters }: CalledPage) => (parameters.gotoOptions ?? {}) as GotoOptions;

async function goTo(page: CalledPage, url: string, options = optionsOf(page)): Promise<void> {
  const { devtools, events } = page;
  const { referer: referrer } = options;
  const answer = await devtools.send('Page.navigate', { url, ...(referrer !== undefined && { referrer }) });
  const { loaderId, errorText, isDownload } = answer;
  if (isDownload) {
    while (!events.download) await events.changed;
    return;
  }
  if (page.condition?.isUnchanged) throw unchanged();
  if (errorText !== undefined && errorText !== '') throw failure(page, errorText);
  if (loaderId === undefined) return; // Within the same document.
  const isShown = () => events.current.loaderId === loaderId || isReplaced || events.wasReplaced(loaderId);
  // A document that another one replaces before it is shown.
  let isReplaced = false;
  const before = events.current.loaderId;
  while (!isShown() || !isReady(page, options)) {
    await events.changed;
    if (events.current.loaderId !== before && events.current.loaderId !== loaderId) isReplaced = true;
  }
}

/** As Puppeteer's `setContent`: in a blank page, whose address stays. */
async function showHtml(page: CalledPage, html: string): Promise<void> {
  const { devtools, events, frameId } = page;
  const { targetInfo } = await devtools.send('Target.getTargetInfo', {});
  if (targetInfo.url !== 'about:blank') await goTo(page, 'about:blank', {});
  // The answer comes after what Chromium repeats of the blank document.
  await devtools.send('Page.setLifecycleEventsEnabled', { enabled: true });
  events.current.events.clear();
  events.idle.pause();
  await devtools.send('Page.setDocumentContent', { frameId, html });
  while (!isReady(page)) await events.changed;
}

function isReady(page: CalledPage, { waitUntil = 'load' } = optionsOf(page)): boolean {
  const { events } = page;
  return [waitUntil].flat().every((wanted) => {
    if (wanted === 'networkidle0') return events.idle.has(0);
    if (wanted === 'networkidle2') return events.idle.has(2);
    return events.current.events.has(wanted === 'load' ? 'load' : 'DOMContentLoaded');
  });
}

/** Errors that stand for a response which Chromium does not show. */
const hidden = new Set(['net::ERR_HTTP_RESPONSE_CODE_FAILURE', 'net::ERR_INVALID_AUTH_CREDENTIALS']);

/** Why there is no document. */
function failure({ events }: CalledPage, errorText: string): PageError {
  const { status = 0, headers = {} } = events.lastResponse ?? {};
  if (hidden.has(errorText) && status >= 400) return errorOfStatus(status, headers);
  if (errorText === 'net::ERR_ABORTED' && (status === 204 || status === 205))
    return new PageError('PAGE_FAILED', `The page has no content: its status is ${status}.`);
  return errorOfNetError(errorText);
}

/** A page that says by its status that it is an error is one, unless the caller wants it all the same. */
function checkStatus({ events, parameters }: CalledPage): void {
  const response = events.response(events.current.loaderId);
  if (!response || response.status < 400) return;
  const { bestAttempt, ignoreHttpErrors } = parameters;
  const error = errorOfStatus(response.status, response.headers);
  // What a proxy answers in the place of the page is never the page.
  if (error.code.startsWith('PAGE_HTTP_') && (ignoreHttpErrors || bestAttempt)) return;
  throw error;
}
