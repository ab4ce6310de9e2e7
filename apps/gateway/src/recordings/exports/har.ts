import type { RecordedEvent } from '@turnpike/contract/recording';
import { serviceVersion } from '@turnpike/process/observation/service-version';

/** HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), written piece by piece while events are read. */

type Kind<K extends RecordedEvent['kind']> = Extract<RecordedEvent, { kind: K }>;

/** A request that is not written yet. */
interface Exchange {
  request: Kind<'request'>;
  response?: Kind<'response'>;
  /** When it ended; undefined if it has not. */
  endedMs?: number;
  bytes: number;
  error?: string;
  requestBody?: Kind<'body'>;
  responseBody?: Kind<'body'>;
  /** What it holds of memory. */
  size: number;
  comment?: string;
}

interface Page {
  startedMs: number;
  title: string;
}

/** How long after its end a request may still get its body, or the request that it was redirected to. */
const settleMs = 5000;
/** Requests that are held until they end. The oldest is written as it is when there are more. */
const maxHeldBytes = 16 * 2 ** 20;
const maxPages = 10_000;

export class HarWriter {
  readonly #startedAt: number;
  readonly #open = new Map<string, Exchange>();
  /** Those of them that have ended, in the order of their ends. */
  readonly #ended = new Map<string, Exchange>();
  readonly #pages = new Map<number, Page>();
  /** The last document that each tab has asked for and not shown: it may be a download. */
  readonly #documents = new Map<number | undefined, string>();
  #heldBytes = 0;
  #hasBodies = false;
  #isFirst = true;

  /** `startedAt`: when the recording began, in milliseconds since the epoch. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  begin(): string {
    const creator = JSON.stringify({ name: 'Turnpike', version: serviceVersion });
    return `{"log":{"version":"1.2","creator":${creator},"entries":[`;
  }

  /** Takes an event and its size, and returns what can be written by now. */
  add(event: RecordedEvent, size: number): string {
    let text = '';
    if (event.kind === 'start') this.#hasBodies = event.bodies;
    if (event.kind === 'request') {
      text += this.#finish(event.id, event.url);
      this.#open.set(event.id, { request: event, bytes: 0, size });
      this.#heldBytes += size;
      if (event.type === 'Document') this.#documents.set(event.tab, event.url);
    } else if (event.kind === 'navigated') this.#documents.delete(event.tab);
    else if (event.kind === 'download') this.#addDownload(event, size);
    else if ('id' in event) this.#addTo(this.#open.get(event.id), event, size);
    this.#notePage(event);
    return text + this.#writeSettled(event.t);
  }

  /** Yields the rest: request by request, for many may be left. */
  *end(): Generator<string> {
    for (const id of [...this.#open.keys()]) yield this.#finish(id);
    const pages = Array.from(this.#pages, ([tab, { startedMs, title }]) => ({
      startedDateTime: this.#time(startedMs),
      id: pageId(tab),
      title,
      pageTimings: {},
    }));
    yield `],"pages":${JSON.stringify(pages)}}}`;
  }

  /** The browser does not report the request of a link with `download`, only the download. */
  #addDownload({ t, tab, id, url }: Kind<'download'>, size: number): void {
    const isReported = this.#documents.get(tab) === url;
    this.#documents.delete(tab);
    if (isReported || !/^https?:/.test(url)) return;
    const what = { method: 'GET', url, type: 'Other', initiator: 'other', headers: {}, isRedirect: false };
    const request: Kind<'request'> = { t, ...(tab !== undefined && { tab }), kind: 'request', id, ...what };
    const comment = 'A download. The browser does not tell its status and headers.';
    this.#open.set(id, { request, bytes: 0, size, comment });
    this.#heldBytes += size;
  }

  #addTo(exchange: Exchange | undefined, event: RecordedEvent, size: number): void {
    if (!exchange) return;
    if (event.kind === 'response') exchange.response = event;
    else if (event.kind === 'request.done' || event.kind === 'download.done') exchange.bytes = event.bytes;
    else if (event.kind === 'request.failed') exchange.error = event.error;
    else if (event.kind === 'body') exchange[event.of === 'request' ? 'requestBody' : 'responseBody'] = event;
    else return;
    if (event.kind === 'download.done' && event.state === 'canceled') exchange.error = 'canceled';
    if (event.kind !== 'response' && event.kind !== 'body') {
      exchange.endedMs = event.t;
      this.#ended.set(event.id, exchange);
    }
    exchange.size += size;
    this.#heldBytes += size;
  }

  /** Writes requests to which nothing more will come, and the oldest where too many are held. */
  #writeSettled(now: number): string {
    let text = '';
    for (const [id, exchange] of this.#ended) {
      if (!this.#isSettled(exchange, now)) break;
      text += this.#finish(id);
    }
    for (const id of this.#open.keys()) {
      if (this.#heldBytes <= maxHeldBytes) break;
      text += this.#finish(id);
    }
    return text;
  }

  #isSettled({ endedMs, error, response, responseBody }: Exchange, now: number): boolean {
    if (endedMs === undefined) return false;
    const isRedirect = response !== undefined && response.status >= 300 && response.status < 400;
    const awaitsBody = this.#hasBodies && error === undefined && !responseBody;
    return (!isRedirect && !awaitsBody) || now > endedMs + settleMs;
  }

  #finish(id: string, redirectUrl = ''): string {
    const exchange = this.#open.get(id);
    if (!exchange) return '';
    this.#open.delete(id);
    this.#ended.delete(id);
    this.#heldBytes -= exchange.size;
    const comma = this.#isFirst ? '' : ',';
    this.#isFirst = false;
    return `${comma}\n${JSON.stringify(this.#entry(exchange, redirectUrl))}`;
  }

  #entry(exchange: Exchange, redirectUrl: string): object {
    const { request, response, error } = exchange;
    const timings = timingsOf(exchange);
    return {
      ...(request.tab !== undefined && this.#pages.has(request.tab) && { pageref: pageId(request.tab) }),
      startedDateTime: this.#time(request.t),
      time: totalOf(timings),
      request: harRequest(exchange),
      response: harResponse(exchange, redirectUrl),
      cache: {},
      timings,
      _resourceType: request.type,
      _initiator: request.initiator,
      ...(response?.fromCache && { _fromCache: true }),
      ...(error !== undefined && { _error: error }),
      ...(exchange.comment !== undefined && { comment: exchange.comment }),
    };
  }

  #notePage(event: RecordedEvent): void {
    const { tab } = event;
    if (tab === undefined) return;
    const page = this.#pages.get(tab);
    if (!page && this.#pages.size < maxPages) this.#pages.set(tab, { startedMs: event.t, title: '' });
    if (page && event.kind === 'tab.changed') page.title = event.title || event.url;
  }

  #time(ms: number): string {
    return new Date(this.#startedAt + ms).toISOString();
  }
}

const pageId = (tab: number): string => `tab_${tab}`;

type Headers = { name: string; value: string }[];

function harHeaders(headers: Record<string, string> | undefined): Headers {
  return Object.entries(headers ?? {}).flatMap(([name, value]) =>
    // DevTools joins repeated headers with line feeds.
    String(value)
      .split('\n')
      .map((one) => ({ name, value: one })),
  );
}

function headerOf(headers: Headers, wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
}

function harRequest({ request, response, requestBody }: Exchange): object {
  const headers = harHeaders(request.headers);
  return {
    method: request.method,
    url: request.url,
    httpVersion: response?.protocol ?? '',
    cookies: [],
    headers,
    queryString: queryOf(request.url),
    ...(requestBody && {
      postData: {
        mimeType: headerOf(headers, 'content-type') ?? '',
        params: [],
        text: requestBody.text ?? requestBody.base64 ?? '',
        ...(requestBody.base64 !== undefined && { _encoding: 'base64' }),
        ...(requestBody.isCut && { comment: 'cut' }),
      },
    }),
    headersSize: -1,
    bodySize: -1,
  };
}

function queryOf(url: string): Headers {
  const parsed = URL.parse(url);
  return parsed ? Array.from(parsed.searchParams, ([name, value]) => ({ name, value })) : [];
}

/** A request without a response has status 0, as in Chromium's own HAR files. */
function harResponse({ response, bytes, responseBody }: Exchange, redirectUrl: string): object {
  const headers = harHeaders(response?.headers);
  return {
    status: response?.status ?? 0,
    statusText: response?.statusText ?? '',
    httpVersion: response?.protocol ?? '',
    cookies: [],
    headers,
    content: {
      size: sizeOf(responseBody) ?? bytes,
      mimeType: response?.mimeType || 'x-unknown',
      ...(responseBody && { text: responseBody.text ?? responseBody.base64 ?? '' }),
      ...(responseBody?.base64 !== undefined && { encoding: 'base64' }),
      ...(responseBody?.isCut && { comment: 'cut' }),
    },
    redirectURL: redirectUrl || (headerOf(headers, 'location') ?? ''),
    headersSize: -1,
    bodySize: bytes,
  };
}

function sizeOf(body: Kind<'body'> | undefined): number | undefined {
  if (body?.base64 !== undefined) return Buffer.byteLength(body.base64, 'base64');
  return body?.text === undefined ? undefined : Buffer.byteLength(body.text);
}

interface Timings {
  blocked: number;
  dns: number;
  connect: number;
  ssl: number;
  send: number;
  wait: number;
  receive: number;
}

/** -1: it does not apply, or is not known. What is left of the whole time is `receive`. */
function timingsOf({ request, response, endedMs }: Exchange): Timings {
  const { blocked = -1, connect = -1, ssl = -1, send = 0, wait } = response?.timing ?? {};
  const whole = Math.max(0, (endedMs ?? response?.t ?? request.t) - request.t);
  const known = Math.max(0, blocked) + Math.max(0, connect) + Math.max(0, send);
  const waited = wait ?? Math.max(0, (response?.t ?? request.t + whole) - request.t - known);
  const receive = Math.max(0, rounded(whole - known - waited));
  return {
    blocked,
    dns: -1,
    connect,
    ssl,
    send: Math.max(0, send),
    wait: Math.max(0, rounded(waited)),
    receive,
  };
}

/** The time of TLS is part of `connect`. */
const totalOf = ({ blocked, connect, send, wait, receive }: Timings): number =>
  rounded(Math.max(0, blocked) + Math.max(0, connect) + send + wait + receive);

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
