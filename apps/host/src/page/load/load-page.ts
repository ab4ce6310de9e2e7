import { attempt, type CalledPage, inTime } from '../called-page.ts';
import { PageError } from '../page-error.ts';
import { pageErrorOfNetError } from './net-errors.ts';
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
  await attempt(page, () => inTime(page, 'Loading the page', timeoutMs, load));
  if (!page.events.download) checkStatus(page);
}

async function goTo(page: CalledPage, url: string): Promise<void> {
  const { devtools, events, parameters } = page;
  const referrer = parameters.gotoOptions?.referer;
  const answer = await devtools.send('Page.navigate', { url, ...(referrer !== undefined && { referrer }) });
  const { loaderId, errorText, isDownload } = answer;
  if (isDownload) {
    while (!events.download) await events.changed;
    return;
  }
  if (errorText !== undefined && errorText !== '') throw failure(page, errorText);
  if (loaderId === undefined) return; // Within the same document.
  const isShown = () => events.current.loaderId === loaderId || isReplaced;
  // A document that another one replaces before it is shown.
  let isReplaced = false;
  const before = events.current.loaderId;
  while (!isShown() || !isReady(page)) {
    await events.changed;
    if (events.current.loaderId !== before && events.current.loaderId !== loaderId) isReplaced = true;
  }
}

/** As Puppeteer's `setContent`: the document stays, with its address. */
async function showHtml(page: CalledPage, html: string): Promise<void> {
  const { devtools, events, frameId } = page;
  events.current.events.clear();
  await devtools.send('Page.setDocumentContent', { frameId, html });
  while (!isReady(page)) await events.changed;
}

function isReady({ events, parameters }: CalledPage): boolean {
  const { waitUntil = 'load' } = (parameters.gotoOptions ?? {}) as { waitUntil?: WaitUntil | WaitUntil[] };
  return [waitUntil].flat().every((wanted) => {
    if (wanted === 'networkidle0') return events.idle.has(0);
    if (wanted === 'networkidle2') return events.idle.has(2);
    return events.current.events.has(wanted === 'load' ? 'load' : 'DOMContentLoaded');
  });
}

/** Why there is no document. A status of 400 or more without a body is an error page of Chromium's. */
function failure({ events }: CalledPage, errorText: string): PageError {
  const { status = 0, headers = {} } = events.lastResponse ?? {};
  if (errorText === 'net::ERR_HTTP_RESPONSE_CODE_FAILURE' && status >= 400)
    return statusError(status, headers);
  if (errorText === 'net::ERR_ABORTED' && (status === 204 || status === 205))
    return new PageError('PAGE_FAILED', `The page has no content: its status is ${status}.`);
  return pageErrorOfNetError(errorText);
}

/** A page that says by its status that it is an error is one, unless the caller wants it all the same. */
function checkStatus({ events, parameters }: CalledPage): void {
  const response = events.response(events.current.loaderId);
  if (!response || response.status < 400) return;
  const { bestAttempt, ignoreHttpErrors } = parameters;
  if (ignoreHttpErrors || bestAttempt) return;
  throw statusError(response.status, response.headers);
}

function statusError(status: number, headers: Record<string, string>): PageError {
  const refusedBy = headers['x-refused-by'];
  if (refusedBy !== undefined)
    return new PageError(
      'PAGE_BLOCKED',
      `The session may not reach this page: ${refusedBy.slice(0, 100)} refuses it.`,
    );
  return new PageError(
    `PAGE_HTTP_${status}`,
    `The page answered with status ${status}. Pass ignoreHttpErrors to read it all the same.`,
  );
}
