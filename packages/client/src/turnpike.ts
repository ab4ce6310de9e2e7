import type {
  AccountEvent,
  AccountSettings,
  AccountTraffic,
  CloseResult,
  Extension,
  Health,
  Limits,
  Me,
  ModelEndpoint,
  NewKey,
  NoSession,
  Receipt,
  ReceiptKeys,
  SavedCache,
  SavedProfile,
  Session,
  SessionListItem,
  SessionPage,
  SessionRecord,
  SessionTraffic,
  Snapshot,
  Usage,
} from './answers.ts';
import { Crawls } from './crawls.ts';
import { connectQuery, createRequest } from './create-params.ts';
import { withEnvironment } from './environment.ts';
import { TurnpikeError } from './errors.ts';
import { followEvents } from './events.ts';
import { Files } from './files.ts';
import { OpenSession } from './open-session.ts';
import { Opening } from './opening.ts';
import type {
  CallOptions,
  CreateOptions,
  EventsOptions,
  ListOptions,
  TrafficOptions,
  TurnpikeOptions,
} from './options.ts';
import { Pages } from './pages.ts';
import { Proxies, ProxyPools } from './proxies.ts';
import { Recordings } from './recordings.ts';
import { Stats } from './stats.ts';
import type { Answer } from './transport/answer-error.ts';
import { jsonOf, notFromGateway, type Request, Transport } from './transport/transport.ts';
import { Webhooks } from './webhooks.ts';
import { connectDriver, type Driver, disconnectDriver } from './with-browser.ts';

/** A client of one gateway, for one account. */
export class Turnpike {
  readonly #options: TurnpikeOptions & { endpoint: string };
  readonly #transport: Transport;
  readonly #settling = new Set<Promise<void>>();
  #latest: { sessionId?: string; vncUrl?: string | undefined } = {};

  constructor(given: TurnpikeOptions = {}) {
    const options = withEnvironment(given);
    this.#options = options;
    this.#transport = new Transport(
      options.endpoint,
      { 'x-api-key': secret('apiKey', options.apiKey) },
      options,
    );
  }

  /** The id of the session that was opened or reconnected to last. */
  get sessionId(): string | undefined {
    return this.#latest.sessionId;
  }

  /** The live view's URL of that session, if it has one. */
  get vncUrl(): string | undefined {
    return this.#latest.vncUrl;
  }

  /** Opens a browser and returns its CDP URL. The session's id is in `sessionId`. */
  async connectUrl(options: CreateOptions): Promise<string> {
    const opened = await this.#open(
      { path: '/connect', query: connectQuery(options), takesProxy: true },
      options,
      readConnected,
    );
    this.#latest = opened;
    return opened.cdpUrl;
  }

  /** Returns the CDP URL of a running session again. Takes no slot and counts against no limit. */
  async reconnectUrl(sessionId: string, options: CallOptions = {}): Promise<string> {
    const request = { path: '/connect', query: { sessionId }, purpose: 'session' } as const;
    const found = readConnected(await this.#transport.call(request, options));
    this.#latest = found;
    return found.cdpUrl;
  }

  /** Opens a browser and returns the whole session. */
  async create(options: CreateOptions): Promise<Session> {
    const body = createRequest(options);
    const request = { path: '/api/browser/create', method: 'POST', body, takesProxy: true } as const;
    const session = await this.#open(request, options, readSession);
    this.#latest = { sessionId: session.browserId, vncUrl: session.vncUrl };
    return session;
  }

  /** The same, as a session that closes itself: `await using session = await turnpike.open(…)`. */
  async open(options: CreateOptions): Promise<OpenSession> {
    const session = await this.create(options);
    return new OpenSession(session, () => this.close(session.browserId));
  }

  /**
   * Opens a browser, connects `driver` (Playwright's `chromium`, or Puppeteer) to it, and closes the session when
   * `work` is done, whether it succeeds or fails. When `signal` aborts, the session is closed while `work` runs.
   */
  async withBrowser<Browser, Result>(
    { driver, ...options }: CreateOptions & { driver: Driver<Browser> },
    work: (browser: Browser, session: OpenSession) => Promise<Result>,
  ): Promise<Result> {
    const session = await this.open(options);
    const onAbort = () => void session.close().catch(() => {});
    options.signal?.addEventListener('abort', onAbort, { once: true });
    let result: Result;
    try {
      options.signal?.throwIfAborted();
      const browser = await connectDriver(driver, session.cdpUrl);
      try {
        result = await work(browser, session);
      } finally {
        await disconnectDriver(browser);
      }
    } catch (error) {
      // The first error is the one to report.
      await session.close().catch(() => {});
      throw options.signal?.aborted ? options.signal.reason : error;
    } finally {
      options.signal?.removeEventListener('abort', onAbort);
    }
    await session.close();
    return result;
  }

  /** Closes a session; without an id, the one that was opened last. Safe to repeat. */
  async close(sessionId = this.#latest.sessionId, options: CallOptions = {}): Promise<CloseResult> {
    if (sessionId === undefined)
      throw new TurnpikeError('There is no session to close: none was opened. Pass a session id.');
    const body = { browserId: sessionId };
    return this.#transport.json(
      { path: '/api/browser/close', method: 'POST', body, purpose: 'session' },
      options,
    );
  }

  /** Reads one session, by its session id or the CDP id at the end of its CDP URL. */
  status(id: string, options: CallOptions = {}): Promise<Session> {
    const path = `/api/browser/${encodeURIComponent(id)}/status`;
    return this.#transport.json({ path, purpose: 'session' }, options);
  }

  /** Reads up to 100 sessions at once, by either id: one for each distinct id, in the order given. */
  async statuses(ids: readonly string[], options: CallOptions = {}): Promise<(Session | NoSession)[]> {
    const request = { path: '/api/browser/status/bulk', method: 'POST', body: { browserIds: ids } } as const;
    const { browsers } = await this.#transport.json<{ browsers: (Session | NoSession)[] }>(request, options);
    return browsers;
  }

  /** Lists the running sessions, newest first. */
  listBrowsers(options: CallOptions = {}): Promise<SessionListItem[]> {
    return this.#transport.json({ path: '/api/browsers' }, options);
  }

  /** Iterates over the permanent record of sessions, newest first, page by page. */
  async *listSessions({
    status,
    name,
    tag,
    pageSize = 200,
    ...options
  }: ListOptions = {}): AsyncGenerator<SessionRecord> {
    let cursor: string | undefined;
    do {
      const query = { status, name, tag, limit: String(pageSize), cursor };
      const page = await this.#transport.json<SessionPage>({ path: '/user/api/sessions', query }, options);
      yield* page.sessions;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Changes what people call a session. What is not given stays; null removes it. */
  changeLabels(
    sessionId: string,
    { name, tags }: { name?: string | null; tags?: readonly string[] | null },
    options: CallOptions = {},
  ): Promise<Session> {
    const path = `/api/browser/${encodeURIComponent(sessionId)}`;
    return this.#transport.json({ path, method: 'PATCH', body: { name, tags }, purpose: 'session' }, options);
  }

  /** Changes the proxy of a running session. Its pages stay; connections through the former proxy are cut. */
  changeProxy(
    sessionId: string,
    { proxy, proxyKey, proxyCountry }: { proxy: string; proxyKey?: string; proxyCountry?: string },
    options: CallOptions = {},
  ): Promise<Session> {
    const path = `/api/browser/${encodeURIComponent(sessionId)}`;
    const body = { proxy, proxy_key: proxyKey, proxy_country: proxyCountry };
    return this.#transport.json({ path, method: 'PATCH', body, purpose: 'session' }, options);
  }

  /** Gives a running session another exit of its template or pool. Never retried: it would rotate twice. */
  rotate(sessionId: string, options: CallOptions = {}): Promise<Session> {
    const path = `/api/browser/${encodeURIComponent(sessionId)}/rotate`;
    return this.#transport.json({ path, method: 'POST', purpose: 'session' }, { ...options, retries: 0 });
  }

  /** Reads where a session's traffic went, by destination: live while it runs, final when it has ended. */
  traffic(sessionId: string, options: CallOptions = {}): Promise<SessionTraffic> {
    return this.#transport.json(sessionTraffic(sessionId), options);
  }

  /** The same as CSV, with a header line. */
  async trafficCsv(sessionId: string, options: CallOptions = {}): Promise<string> {
    return (await this.#transport.call({ ...sessionTraffic(sessionId), ...asCsv }, options)).text;
  }

  /** Reads where the account's traffic went, by the UTC days on which sessions ended. */
  accountTraffic(options: TrafficOptions = {}): Promise<AccountTraffic> {
    return this.#transport.json(accountTraffic(options), options);
  }

  /** The same as CSV, with a header line. */
  async accountTrafficCsv(options: TrafficOptions = {}): Promise<string> {
    return (await this.#transport.call({ ...accountTraffic(options), ...asCsv }, options)).text;
  }

  /** Gets the signed receipt of a session that has ended. */
  receipt(sessionId: string, options: CallOptions = {}): Promise<Receipt> {
    const path = `/api/browser/${encodeURIComponent(sessionId)}/receipt`;
    return this.#transport.json({ path, purpose: 'session' }, options);
  }

  /** Gets the keys that verify receipts. */
  receiptKeys(options: CallOptions = {}): Promise<ReceiptKeys> {
    return this.#transport.json({ path: '/.well-known/turnpike-receipt-keys' }, options);
  }

  /** Lists the saved profiles by name. */
  async listProfiles(options: CallOptions = {}): Promise<SavedProfile[]> {
    const path = '/user/api/profiles';
    return (await this.#transport.json<{ profiles: SavedProfile[] }>({ path }, options)).profiles;
  }

  async deleteProfile(name: string, options: CallOptions = {}): Promise<void> {
    const path = `/user/api/profiles/${encodeURIComponent(name)}`;
    await this.#transport.call({ path, method: 'DELETE' }, options);
  }

  /**
   * Takes a snapshot of a running session, which goes on. It is kept for `keep` days, 30 if you say nothing. Never
   * retried: there would be two.
   */
  takeSnapshot(
    sessionId: string,
    { keep, name, ...options }: CallOptions & { keep?: number; name?: string } = {},
  ): Promise<Snapshot> {
    const path = `/api/browser/${encodeURIComponent(sessionId)}/snapshot`;
    const body = { keep, name };
    return this.#transport.json(
      { path, method: 'POST', body, purpose: 'session' },
      { ...options, retries: 0 },
    );
  }

  /** Lists the snapshots, newest first. */
  async listSnapshots(options: CallOptions = {}): Promise<Snapshot[]> {
    const path = '/user/api/snapshots';
    return (await this.#transport.json<{ snapshots: Snapshot[] }>({ path }, options)).snapshots;
  }

  async deleteSnapshot(id: string, options: CallOptions = {}): Promise<void> {
    const path = `/user/api/snapshots/${encodeURIComponent(id)}`;
    await this.#transport.call({ path, method: 'DELETE' }, options);
  }

  /** Lists the saved HTTP caches by name. */
  async listCaches(options: CallOptions = {}): Promise<SavedCache[]> {
    const path = '/user/api/caches';
    return (await this.#transport.json<{ caches: SavedCache[] }>({ path }, options)).caches;
  }

  async deleteCache(name: string, options: CallOptions = {}): Promise<void> {
    const path = `/user/api/caches/${encodeURIComponent(name)}`;
    await this.#transport.call({ path, method: 'DELETE' }, options);
  }

  /** Lists the uploaded extensions by name. */
  async listExtensions(options: CallOptions = {}): Promise<Extension[]> {
    const path = '/user/api/extensions';
    return (await this.#transport.json<{ extensions: Extension[] }>({ path }, options)).extensions;
  }

  /** Uploads an extension, a zip or crx file. Replaces the one with the same id. */
  uploadExtension(file: Uint8Array<ArrayBuffer> | Blob, options: CallOptions = {}): Promise<Extension> {
    const path = '/user/api/extensions';
    return this.#transport.json({ path, method: 'POST', content: file }, options);
  }

  async deleteExtension(id: string, options: CallOptions = {}): Promise<void> {
    const path = `/user/api/extensions/${encodeURIComponent(id)}`;
    await this.#transport.call({ path, method: 'DELETE' }, options);
  }

  getLimits(options: CallOptions = {}): Promise<Limits> {
    return this.#transport.json({ path: '/user/api/limits' }, options);
  }

  /** Counts the running sessions. */
  async getSessionCount(options: CallOptions = {}): Promise<number> {
    return (await this.getLimits(options)).active;
  }

  getUsage(options: CallOptions = {}): Promise<Usage> {
    return this.#transport.json({ path: '/user/api/usage' }, options);
  }

  getMe(options: CallOptions = {}): Promise<Me> {
    return this.#transport.json({ path: '/user/api/me' }, options);
  }

  /** Reads what the account has decided for itself. */
  getSettings(options: CallOptions = {}): Promise<AccountSettings> {
    return this.#transport.json({ path: '/user/api/settings' }, options);
  }

  /** Changes it. `pageCalls: false` turns page calls and crawls of the account off. */
  changeSettings(settings: AccountSettings, options: CallOptions = {}): Promise<AccountSettings> {
    return this.#transport.json({ path: '/user/api/settings', method: 'POST', body: settings }, options);
  }

  /** Reads the account's model endpoint, without its key. */
  getModel(options: CallOptions = {}): Promise<ModelEndpoint> {
    return this.#transport.json({ path: modelPath }, options);
  }

  /** Sets the endpoint, compatible with OpenAI, that `page.json` uses. It replaces the one before. */
  setModel(
    { url, model, key }: { url: string; model: string; key: string },
    options: CallOptions = {},
  ): Promise<ModelEndpoint> {
    return this.#transport.json({ path: modelPath, method: 'PUT', body: { url, model, key } }, options);
  }

  /** Deletes the endpoint and its key. Safe to repeat. */
  async deleteModel(options: CallOptions = {}): Promise<void> {
    await this.#transport.call({ path: modelPath, method: 'DELETE' }, options);
  }

  /** Creates a new key. The old one stops working at once, and this client uses the new one. Never retried. */
  async regenerateKey(options: CallOptions = {}): Promise<NewKey> {
    const request = { path: '/user/api/regenerate-key', method: 'POST' } as const;
    const created = await this.#transport.json<NewKey>(request, { ...options, retries: 0 });
    this.#transport.credentials = { 'x-api-key': secret('apiKey', created.apiKey) };
    return created;
  }

  /** Streams the account's events: sessions that start and end, hours used. Reconnects by itself and misses no event. */
  events(options: EventsOptions = {}): AsyncGenerator<AccountEvent, never> {
    return followEvents(this.#transport, options);
  }

  /** Webhooks: the same events, sent to your URLs. */
  get webhooks(): Webhooks {
    return new Webhooks(this.#transport);
  }

  /** The account's saved proxies, and its default. */
  get proxies(): Proxies {
    return new Proxies(this.#transport);
  }

  /** Pools of saved proxies. */
  get pools(): ProxyPools {
    return new ProxyPools(this.#transport);
  }

  /** Files that a session's browser downloaded, or that it may upload. */
  get files(): Files {
    return new Files(this.#transport);
  }

  /** One call, one page: pictures, PDFs, HTML, Markdown, links and more. */
  get page(): Pages {
    return new Pages(this.#transport);
  }

  /** Crawls of sites, and batches of pages. */
  get crawl(): Crawls {
    return new Crawls(this.#transport);
  }

  /** Recordings of sessions that were created with `record`. */
  get recordings(): Recordings {
    return new Recordings(this.#transport);
  }

  /** Reads the gateway's health. Needs no key. */
  getHealth(options: CallOptions = {}): Promise<Health> {
    return this.#transport.json({ path: '/health' }, options);
  }

  /** Bandwidth statistics, with a statistics token; `endpoint` is for statistics that are served elsewhere. */
  stats(token: string, { endpoint = this.#options.endpoint }: { endpoint?: string } = {}): Stats {
    const credentials = { authorization: `Bearer ${secret('token', token)}` };
    return new Stats(new Transport(endpoint, credentials, this.#options));
  }

  /** Resolves when the sessions of aborted creates are closed. They are closed in any case; this waits for it. */
  async settled(): Promise<void> {
    while (this.#settling.size > 0) await Promise.all(this.#settling);
  }

  async #open<T>(request: Request, options: CreateOptions, read: (answer: Answer) => T): Promise<T> {
    const idempotencyKey = options.idempotencyKey ?? globalThis.crypto.randomUUID();
    const opening = new Opening(this.#transport, {
      request,
      idempotencyKey,
      read,
      closeByKey: async (timeoutMs) => {
        const close = { path: '/api/browser/close', method: 'POST', body: { idempotencyKey } } as const;
        await this.#transport.call(close, { timeoutMs, retries: 0 });
      },
    });
    try {
      return await opening.open(this.#transport.deadline(options), this.#transport.retries(options));
    } finally {
      const { settled } = opening;
      this.#settling.add(settled);
      void settled.finally(() => this.#settling.delete(settled));
    }
  }
}

const modelPath = '/user/api/model';
const asCsv = { headers: { accept: 'text/csv' } };

const sessionTraffic = (sessionId: string): Request => ({
  path: `/api/browser/${encodeURIComponent(sessionId)}/traffic`,
  purpose: 'session',
});

const accountTraffic = ({ from, to, limit }: TrafficOptions): Request => ({
  path: '/user/api/traffic',
  query: { from, to, limit: limit?.toString() },
});

/** Reads an answer of /connect. */
function readConnected(answer: Answer): { cdpUrl: string; sessionId: string; vncUrl: string | undefined } {
  const cdpUrl = answer.text.trim();
  const sessionId = answer.headers.get('x-session-id');
  if (!sessionId || !/^wss?:\/\/\S+$/.test(cdpUrl)) throw notFromGateway(answer);
  return { cdpUrl, sessionId, vncUrl: answer.headers.get('x-vnc-url') ?? undefined };
}

function readSession(answer: Answer): Session {
  const session = jsonOf(answer) as Session;
  if (typeof session.browserId !== 'string' || typeof session.cdpUrl !== 'string')
    throw notFromGateway(answer);
  return session;
}

/** Checked here, because fetch's own error would quote the secret. */
function secret(name: string, value: unknown): string {
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw new TypeError(`${name} must be a string of visible ASCII characters`);
  }
  return value;
}
