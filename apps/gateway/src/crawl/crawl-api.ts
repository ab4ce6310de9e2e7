import { CrawlPagesQuery, CrawlParameters, crawlIdPattern } from '@turnpike/contract/crawl';
import { CreateBody, IdempotencyHeaders } from '@turnpike/contract/create';
import { PageParameters } from '@turnpike/contract/page/page-request';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';
import { sessionId } from '../sessions/session-api.ts';

/** OpenAPI descriptions of the routes of crawls. */

const id = 'cr_0f1e2d3c4b5a69788796a5b4';
const example = {
  id,
  state: 'running',
  url: 'https://example.com/',
  waiting: null,
  why: null,
  limit: 100,
  pages: { found: 41, open: 12, done: 27, failed: 1, skipped: 0, duplicates: 1 },
  sessions: 2,
  bytes: 81234,
  createdAt: '2026-01-01T12:00:00.000Z',
  startedAt: '2026-01-01T12:00:00.400Z',
  endedAt: null,
  expiresAt: '2026-01-15T12:00:00.000Z',
};

const { url: _url, html: _html, ...pageParameters } = PageParameters.properties;
const CrawlBody = Type.Object(
  { ...CreateBody.properties, ...pageParameters, ...CrawlParameters.properties },
  { additionalProperties: true, description: 'Members that are not known are ignored' },
);

const common = { tag: 'Pages', security: ['apiKey'] } as const;
const params = Type.Object({
  id: Type.String({ pattern: crawlIdPattern.source, description: 'The id of the crawl' }),
});

export const createCrawlApi: ApiDescription = {
  ...common,
  id: 'createCrawl',
  summary: 'Crawl a site, or load a batch of pages',
  description:
    'Loads the page at `url` and the pages of the site that it leads to, by links and sitemaps; or the pages in `urls`. ' +
    'Answers at once: the crawl goes on by itself, in sessions of the account. They count against its limits and are ' +
    'billed as any. When a limit is reached, the crawl waits.\n\n' +
    'Takes the parameters of a create and those of page calls too. They hold for every page.',
  headers: IdempotencyHeaders,
  body: json(CrawlBody, {
    url: 'https://example.com/',
    limit: 100,
    formats: ['markdown'],
    proxy: 'http://user:password@proxy.example:8000',
  }),
  answers: {
    202: { description: 'The crawl, which is queued.', example: { ...example, state: 'queued' } },
  },
  errors: [
    'badRequest',
    'malformedParams',
    'proxyRequired',
    'proxyInvalid',
    'idempotencyMismatch',
    'tooManyCrawls',
    'pageCallsOff',
  ],
};

export const crawlsApi: ApiDescription = {
  ...common,
  id: 'listCrawls',
  summary: 'List crawls',
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ description: '`nextCursor` of the page before' })),
  }),
  answers: {
    200: { description: 'Crawls, newest first.', example: { crawls: [example], nextCursor: null } },
  },
  errors: ['badRequest'],
};

export const crawlApi: ApiDescription = {
  ...common,
  id: 'getCrawl',
  summary: 'Read the state of a crawl',
  params,
  answers: { 200: { description: 'The crawl.', example } },
  errors: ['notFound'],
};

export const crawlPagesApi: ApiDescription = {
  ...common,
  id: 'listCrawlPages',
  summary: 'Read the results of a crawl',
  description:
    'Pages in the order in which they were loaded, each once. While the crawl goes on, `nextCursor` leads to those that ' +
    'come later. An answer may have fewer pages than `limit`, if they are large.',
  params,
  query: CrawlPagesQuery,
  answers: {
    200: {
      description: 'Results.',
      example: {
        pages: [
          {
            url: 'https://example.com/',
            loadedUrl: 'https://example.com/',
            canonical: null,
            depth: 0,
            result: 'done',
            status: 200,
            title: 'Example',
            contentType: 'text/html',
            error: null,
            sessionId,
            loadedAt: '2026-01-01T12:00:01.000Z',
            bytes: 27,
            formats: { markdown: '# Example' },
          },
        ],
        nextCursor: '1',
      },
    },
  },
  errors: ['badRequest', 'notFound', 'tooManyReads'],
};

export const cancelCrawlApi: ApiDescription = {
  ...common,
  id: 'cancelCrawl',
  summary: 'Cancel a crawl',
  description:
    'No further page is loaded, and its sessions are closed within seconds. What was loaded can still be read. Safe to ' +
    'repeat: a crawl that has ended stays as it is.',
  params,
  query: Type.Object({
    deleteResults: Type.Optional(Type.Boolean({ description: 'Deletes the crawl with its results too' })),
  }),
  answers: {
    200: { description: 'The crawl, which has ended.', example: { ...example, state: 'cancelled' } },
  },
  errors: ['notFound'],
};
