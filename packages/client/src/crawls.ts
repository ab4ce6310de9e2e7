import type { Crawl, CrawledPage, CrawledPages, CrawlList } from './answers.ts';
import { createBody } from './create-params.ts';
import type { CallOptions, CrawlOptions } from './options.ts';
import { crawlParameterNames, pageParameterNames } from './page-options.ts';
import { pause } from './transport/deadline.ts';
import type { Transport } from './transport/transport.ts';

const path = '/api/crawl';
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;
/** Between two looks at a crawl that goes on. */
const pauseMs = 1000;
const names = [...new Set([...pageParameterNames, ...crawlParameterNames])];

const hasEnded = ({ state }: Crawl): boolean => state !== 'queued' && state !== 'running';

/** Crawls of sites, and batches of pages. A crawl goes on by itself on the service, in sessions of the account. */
export class Crawls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Starts a crawl at `url`, or loads a batch of `urls`. Returns at once. */
  start(options: CrawlOptions): Promise<Crawl> {
    const { idempotencyKey = globalThis.crypto.randomUUID() } = options;
    const given = options as Record<string, unknown>;
    const body = {
      ...createBody(options),
      ...Object.fromEntries(
        names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
      ),
    };
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#transport.json(
      { path, method: 'POST', body, headers, success: 202, takesProxy: true },
      options,
    );
  }

  status(id: string, options: CallOptions = {}): Promise<Crawl> {
    return this.#transport.json({ path: pathOf(id) }, options);
  }

  /** Iterates over the crawls, newest first. */
  async *list(options: CallOptions = {}): AsyncGenerator<Crawl> {
    let cursor: string | undefined;
    do {
      const request = { path, query: { limit: '200', cursor } };
      const page = await this.#transport.json<CrawlList>(request, options);
      yield* page.crawls;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Reads some results: from the first one, or from the `nextCursor` of an earlier answer on. */
  results(
    id: string,
    { cursor, limit, ...options }: CallOptions & { cursor?: string | undefined; limit?: number } = {},
  ): Promise<CrawledPages> {
    const query = { cursor, limit: limit?.toString() };
    return this.#transport.json({ path: `${pathOf(id)}/pages`, query }, options);
  }

  /** Iterates over the results, as pages are loaded, until the crawl ends. */
  async *pages(id: string, options: CallOptions = {}): AsyncGenerator<CrawledPage> {
    let cursor: string | undefined;
    for (;;) {
      const { pages, nextCursor } = await this.results(id, { ...options, cursor });
      yield* pages;
      if (nextCursor === null) return;
      cursor = nextCursor;
      if (pages.length === 0) await pause(pauseMs, options.signal);
    }
  }

  /** Waits until the crawl has ended. */
  async wait(
    id: string,
    { onProgress, ...options }: CallOptions & { onProgress?: (crawl: Crawl) => void } = {},
  ): Promise<Crawl> {
    for (;;) {
      const crawl = await this.status(id, options);
      onProgress?.(crawl);
      if (hasEnded(crawl)) return crawl;
      await pause(pauseMs, options.signal);
    }
  }

  /** Cancels a crawl; with `deleteResults`, it is deleted too. Safe to repeat. */
  cancel(
    id: string,
    { deleteResults, ...options }: CallOptions & { deleteResults?: boolean } = {},
  ): Promise<Crawl> {
    const query = { deleteResults: deleteResults ? 'true' : undefined };
    return this.#transport.json({ path: pathOf(id), method: 'DELETE', query }, options);
  }
}
