import type { PageAnswer, PageCall, PageReport } from '@turnpike/contract/page/page-call';
import type { FilterLists } from '../saving/filter-lists.ts';
import { type CalledPage, inTime } from './called-page.ts';
import type { AnswerMemory } from './devtools/answer-memory.ts';
import { DevTools } from './devtools/devtools.ts';
import { PageWorld } from './devtools/page-world.ts';
import { ConditionalLoad, validatorsIn } from './load/conditional-load.ts';
import { loadBannerList } from './load/consent-banners.ts';
import { loadPage } from './load/load-page.ts';
import { type Download, PageEvents } from './load/page-events.ts';
import { preparePage } from './load/prepare-page.ts';
import { setUpPage } from './load/set-up-page.ts';
import { PageError, pageErrorOf } from './page-error.ts';
import { type DownloadOptions, readDownload } from './read/read-download.ts';
import { type PageBody, readFormats, readTextMarkdown } from './read/read-formats.ts';
import type { ThreadCall } from './thread-messages.ts';

interface RunOptions {
  socketPath: string;
  memory: AnswerMemory;
  filterLists: FilterLists;
}

/** Loads and reads a page. Resolves with an answer in any case. */
export async function runCall(
  { call, cdpId, targetId }: Omit<ThreadCall, 'id'>,
  options: RunOptions,
  signal: AbortSignal,
): Promise<PageAnswer> {
  const startedAt = performance.now();
  const sinceStart = () => Math.round(performance.now() - startedAt);
  const timings: PageReport['timings'] = { total: 0 };
  using devtools = new DevTools({ ...options, cdpId, targetId });
  signal.addEventListener('abort', () =>
    devtools.fail(new PageError('PAGE_FAILED', 'The call was cancelled.')),
  );
  const events = new PageEvents(devtools, targetId);
  const world = new PageWorld(devtools, targetId);
  const deadline = startedAt + call.timeoutMs;
  const condition = new ConditionalLoad(call.validators ?? {});
  const page: CalledPage = {
    parameters: call.parameters,
    ...(condition.isPossible && { condition }),
    frameId: targetId,
    devtools,
    events,
    world,
    deadline,
  };
  try {
    const read = async () => {
      if (call.parameters.blockConsentModals) page.banners = await loadBannerList(options.filterLists);
      await setUpPage(page);
      await loadPage(page);
      timings.loaded = sinceStart();
      const { download } = events;
      if (download) {
        const body = await readDownloaded(page, call, download, { ...options, cdpId });
        return { body, title: '', url: download.url };
      }
      await preparePage(page);
      timings.ready = sinceStart();
      const info = devtools.send('Target.getTargetInfo', {});
      const body = await readFormats(page, call);
      const { targetInfo } = await info;
      return { body, title: targetInfo.title, url: targetInfo.url };
    };
    const { body, title, url } = await inTime(page, 'The call', undefined, read());
    timings.total = sinceStart();
    return { ...body, report: { ...reportOf(page, timings), url, title: title.slice(0, maxTitleLength) } };
  } catch (error) {
    timings.total = sinceStart();
    return { report: reportOf(page, timings), error: pageErrorOf(error) };
  } finally {
    events.close();
  }
}

/** Markdown of a short text that the browser downloads, such as CSV, is that text's. Otherwise the file is the answer. */
async function readDownloaded(
  page: CalledPage,
  { formats, raw }: PageCall,
  download: Download,
  options: DownloadOptions,
): Promise<PageBody> {
  const file = await readDownload(page, download, options);
  const isMarkdown = raw && formats.length === 1 && formats[0] === 'markdown';
  if (!isMarkdown || !/^text\//i.test(file.type) || file.body.length > maxTextBytes) return file;
  const text = Buffer.from(file.body).toString();
  return readTextMarkdown(page, { url: download.url, contentType: file.type, text });
}

const maxTextBytes = 2 ** 20;
const maxTitleLength = 1000;

function reportOf({ events, parameters, condition }: CalledPage, timings: PageReport['timings']): PageReport {
  const { consoleErrors, failedRequests, warnings, current } = events;
  const response = events.response(current.loaderId) ?? events.lastResponse;
  return {
    ...(response && {
      status: response.status,
      contentType: response.headers['content-type'] ?? response.mimeType,
      ...validatorsIn(response.headers),
    }),
    ...(condition?.isUnchanged && { status: 304 }),
    url: current.url || (parameters.url ?? ''),
    timings,
    consoleErrors,
    failedRequests,
    warnings,
  };
}
