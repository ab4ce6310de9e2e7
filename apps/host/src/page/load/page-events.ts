import type { PageReport } from '@turnpike/contract/page/page-call';
import type { Protocol } from 'devtools-protocol';
import type { DevTools } from '../devtools/devtools.ts';
import { PageError } from '../page-error.ts';
import { NetworkIdle } from './network-idle.ts';

/** What a page's document came with. */
export interface DocumentResponse {
  status: number;
  url: string;
  mimeType: string;
  headers: Record<string, string>;
  loaderId: string;
}

export interface Download {
  guid: string;
  fileName: string;
  url: string;
  state: 'inProgress' | 'completed' | 'canceled';
  /** So far, or as the server has announced. */
  bytes: number;
}

const maxListed = 20;
const maxTextLength = 500;
const maxUrlLength = 2000;
/** Requests whose address is remembered, to name it if they fail. */
const maxKnownRequests = 2000;
/** When the call connects late, Chromium repeats them without the first ones. */
const lifecycle = new Set(['init', 'commit', 'DOMContentLoaded', 'load']);
const maxReplaced = 10_000;
/** A page that asks more often asks for ever. */
const maxDialogs = 100;
const maxRedirectedLoads = 50;

/** Listens to a page from when the call connects. Nothing of it grows without a limit. */
export class PageEvents {
  readonly idle: NetworkIdle;
  readonly consoleErrors: string[] = [];
  readonly failedRequests: PageReport['failedRequests'] = [];
  readonly warnings: string[] = [];
  /** The document that is shown, and which of its events have come. */
  current = { loaderId: '', url: '', events: new Set<string>() };
  /** Of the document that came last, also of one that is not shown. */
  lastResponse: DocumentResponse | undefined;
  download: Download | undefined;
  readonly #devtools: DevTools;
  readonly #frameId: string;
  readonly #responses = new Map<string, DocumentResponse>();
  readonly #urls = new Map<string, string>();
  readonly #replaced = new Set<string>();
  #dialogs = 0;
  #hasLoaded = false;
  #changed = Promise.withResolvers<void>();

  constructor(devtools: DevTools, frameId: string) {
    this.#devtools = devtools;
    this.#frameId = frameId;
    this.idle = new NetworkIdle(() => this.#change());
    this.#listen();
  }

  /** Resolves at the next event that a load may wait for. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  response(loaderId: string): DocumentResponse | undefined {
    return this.#responses.get(loaderId);
  }

  /** Whether the document was shown, and is no longer. */
  wasReplaced(loaderId: string): boolean {
    return this.#replaced.has(loaderId);
  }

  warn(text: string): void {
    if (this.warnings.length < maxListed) this.warnings.push(text);
  }

  close(): void {
    this.idle.close();
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #listen(): void {
    const devtools = this.#devtools;
    devtools.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId === this.#frameId && lifecycle.has(name)) this.#reached(loaderId, name);
    });
    devtools.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.#frameId) return;
      // Chromium has repeated what the document before had logged.
      if (!this.#hasLoaded) this.consoleErrors.length = 0;
      this.#hasLoaded = true;
      this.#show(frame.loaderId);
      this.current.url = (frame.unreachableUrl ?? frame.url).slice(0, maxUrlLength);
      this.#change();
    });
    devtools.on('Page.downloadWillBegin', ({ guid, suggestedFilename, url }) => {
      this.download ??= { guid, fileName: suggestedFilename, url, state: 'inProgress', bytes: 0 };
      this.#change();
    });
    devtools.on('Page.downloadProgress', ({ guid, state, receivedBytes, totalBytes }) => {
      if (this.download?.guid !== guid) return;
      Object.assign(this.download, { state, bytes: Math.max(receivedBytes, totalBytes) });
      this.#change();
    });
    devtools.on('Page.javascriptDialogOpening', ({ type }) => this.#dismiss(type));
    devtools.on('Inspector.targetCrashed', () =>
      devtools.fail(
        new PageError('PAGE_CRASHED', 'The page crashed. It may need more memory than a session has.'),
      ),
    );
    devtools.on('Network.requestWillBeSent', (event) => this.#requested(event));
    devtools.on('Network.responseReceived', (event) => this.#responded(event));
    devtools.on('Network.loadingFinished', ({ requestId }) => this.idle.ended(requestId));
    devtools.on('Network.loadingFailed', (event) => this.#failed(event));
    devtools.on('Runtime.exceptionThrown', ({ exceptionDetails }) =>
      this.#logged(exceptionDetails.exception?.description ?? exceptionDetails.text),
    );
    devtools.on('Runtime.consoleAPICalled', ({ type, args }) => {
      if (type === 'error' || type === 'assert') this.#logged(args.map(printed).join(' '));
    });
  }

  #reached(loaderId: string, name: string): void {
    this.#show(loaderId);
    if (loaderId !== this.current.loaderId) return;
    this.current.events.add(name);
    if (name === 'DOMContentLoaded') this.idle.begin();
    this.#change();
  }

  /** A document that was replaced does not come back. */
  #show(loaderId: string): void {
    if (this.current.loaderId === loaderId || this.#replaced.has(loaderId)) return;
    if (this.#replaced.size < maxReplaced) this.#replaced.add(this.current.loaderId);
    const url = this.#responses.get(loaderId)?.url ?? '';
    this.current = { loaderId, url, events: new Set() };
    this.idle.pause();
  }

  #requested({ requestId, loaderId, request, frameId, type }: Protocol.Network.RequestWillBeSentEvent): void {
    this.idle.began(requestId);
    if (this.#urls.size < maxKnownRequests) this.#urls.set(requestId, request.url.slice(0, maxUrlLength));
    // A load that replaces another one, before either has an answer.
    if (type === 'Document' && frameId === this.#frameId && requestId === loaderId) this.#change();
  }

  #responded({ requestId, loaderId, type, frameId, response }: Protocol.Network.ResponseReceivedEvent): void {
    const { status, url, mimeType } = response;
    if (status >= 400 && requestId !== loaderId) this.#listFailed(url, `HTTP ${status}`);
    if (type !== 'Document' || frameId !== this.#frameId || requestId !== loaderId) return;
    if (this.#responses.size >= maxRedirectedLoads) this.#responses.clear();
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    this.lastResponse = { status, url: url.slice(0, maxUrlLength), mimeType, headers, loaderId };
    this.#responses.set(loaderId, this.lastResponse);
  }

  #failed({ requestId, errorText, canceled, blockedReason }: Protocol.Network.LoadingFailedEvent): void {
    this.idle.ended(requestId);
    const url = this.#urls.get(requestId);
    this.#urls.delete(requestId);
    if (!canceled && url !== undefined)
      this.#listFailed(url, blockedReason ? `blocked: ${blockedReason}` : errorText);
  }

  #listFailed(url: string, reason: string): void {
    if (this.failedRequests.length >= maxListed) return;
    this.failedRequests.push({ url: url.slice(0, maxUrlLength), reason: reason.slice(0, maxTextLength) });
  }

  /** When the list is full, nothing more is heard of the console. */
  #logged(text: string): void {
    if (this.consoleErrors.length >= maxListed) return;
    this.consoleErrors.push(text.slice(0, maxTextLength));
    if (this.consoleErrors.length === maxListed) this.#devtools.tell('Runtime.disable', {});
  }

  #dismiss(type: string): void {
    this.#dialogs += 1;
    if (this.#dialogs > maxDialogs) {
      this.#devtools.fail(
        new PageError(
          'PAGE_FAILED',
          `The page opened more than ${maxDialogs} dialogs. It does not end by itself.`,
        ),
      );
      return;
    }
    // A page that asks whether it may be left would stay.
    this.#devtools.tell('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' });
  }
}

function printed({ type, value, description }: Protocol.Runtime.RemoteObject): string {
  if (type === 'string') return String(value).slice(0, maxTextLength);
  return description?.slice(0, maxTextLength) ?? String(value);
}
