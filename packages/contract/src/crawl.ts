import { type Static, Type } from 'typebox';
import { PageFormats } from './page/page-request.ts';

/** Crawls: many pages by one call. A batch is a crawl of given addresses, from which no link is followed. */

export const maxCrawlPages = 10_000;
export const defaultCrawlPages = 100;
/** Links that are longer are left out. */
export const maxAddressLength = 2048;
export const defaultHostConcurrency = 2;
export const crawlIdPattern = /^cr_[0-9a-f]{24}$/;

export const crawlStates = ['queued', 'running', 'done', 'cancelled', 'failed'] as const;
export type CrawlState = (typeof crawlStates)[number];

const address = Type.String({ minLength: 1, maxLength: maxAddressLength, description: 'http or https' });
const patterns = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 50, description });

/** What is crawled, and how fast. */
export const CrawlParameters = Type.Partial(
  Type.Object({
    url: Type.String({ ...address, description: 'Where a crawl begins' }),
    urls: Type.Array(address, {
      minItems: 1,
      maxItems: maxCrawlPages,
      description: 'In place of `url`: a batch. These pages are loaded, and no links of theirs',
    }),
    limit: Type.Integer({
      minimum: 1,
      maximum: maxCrawlPages,
      default: defaultCrawlPages,
      description: 'How many pages are taken up',
    }),
    depth: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description: 'How many links lead from the first page to the last one. Default: no limit',
    }),
    includePatterns: patterns(
      'Only addresses that one of these matches are taken up. `*` stands for anything but `/`, `**` for anything. ' +
        'The first page is always loaded',
    ),
    excludePatterns: patterns('Addresses that one of these matches are not taken up'),
    sitemap: Type.Union(
      ['include', 'only', 'skip'].map((name) => Type.Literal(name)),
      {
        default: 'include',
        description: 'Whether addresses come from sitemaps too, from them alone, or from links alone',
      },
    ),
    subdomains: Type.Boolean({
      default: false,
      description: "Whether pages on subdomains of the first page's host belong to the crawl",
    }),
    formats: PageFormats,
    delay: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 0,
      description: 'Milliseconds between the beginnings of two loads from one host',
    }),
    robots: Type.Boolean({
      default: true,
      description: 'Whether robots.txt is obeyed, with its crawl-delay',
    }),
    hostConcurrency: Type.Integer({
      minimum: 1,
      maximum: 20,
      default: defaultHostConcurrency,
      description: 'How many pages of one host are loaded at once',
    }),
    concurrency: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: "How many sessions it has at once. Default: half of the account's limit",
    }),
    ignoreCanonical: Type.Boolean({
      default: false,
      description: "Whether pages that name the same canonical address are kept all. A batch's always are",
    }),
    dropTracking: Type.Boolean({
      default: false,
      description: 'Whether `utm_…`, `gclid`, `fbclid` and the like are taken out of addresses',
    }),
    skipUnchanged: Type.Boolean({
      default: false,
      description: "A page that is as it was in the account's last crawl of it has no formats in the results",
    }),
  }),
);
export type CrawlParameters = Static<typeof CrawlParameters>;

const Timestamp = Type.String({ format: 'date-time' });
const nullable = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Crawl = Type.Object({
  id: Type.String({ pattern: crawlIdPattern.source }),
  state: Type.Enum(crawlStates),
  url: nullable(Type.String(), 'Where it began; null for a batch'),
  waiting: nullable(Type.String(), 'The code of the limit that it waits for; null if it waits for none'),
  why: nullable(Type.String(), 'Why it failed'),
  limit: Type.Integer(),
  pages: Type.Object({
    found: count('Taken up so far'),
    open: count('Still to be loaded'),
    done: count('Loaded'),
    failed: count('Did not load'),
    skipped: count('Left out, because of robots.txt or because nothing has changed'),
    duplicates: count('Have the canonical address of another page'),
  }),
  sessions: count('Sessions that it has now'),
  bytes: count('Size of its results, as they are stored'),
  createdAt: Timestamp,
  startedAt: nullable(Timestamp),
  endedAt: nullable(Timestamp),
  expiresAt: Type.String({ format: 'date-time', description: 'When its results are deleted' }),
});
export type Crawl = Static<typeof Crawl>;

export const CrawlList = Type.Object({
  crawls: Type.Array(Crawl),
  nextCursor: nullable(Type.String()),
});
export type CrawlList = Static<typeof CrawlList>;

/** What a part of a crawl's results is asked for by. */
export const CrawlPagesQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ description: '`nextCursor` of the answer before' })),
  formats: Type.Optional(
    Type.Enum(['true', 'false'], { description: '`false` leaves them out: what was loaded, and no content' }),
  ),
});

export const CrawledPage = Type.Object({
  url: Type.String({ description: 'As it was found, in its canonical form' }),
  loadedUrl: nullable(Type.String(), 'After redirects'),
  canonical: nullable(Type.String(), 'The canonical address that the page names'),
  depth: Type.Integer(),
  result: Type.Enum(['done', 'failed', 'skipped']),
  status: nullable(Type.Integer(), 'The HTTP status'),
  title: nullable(Type.String()),
  contentType: nullable(Type.String()),
  error: nullable(
    Type.Object({
      code: Type.String({ description: '`PAGE_…`, `ROBOTS` or `UNCHANGED`' }),
      message: Type.String(),
    }),
  ),
  sessionId: nullable(Type.String()),
  loadedAt: Timestamp,
  bytes: count('Size of `formats`, as JSON'),
  formats: nullable(
    Type.Object({}, { additionalProperties: true }),
    'A member for each format; or `file`, if the address was a download',
  ),
});
export type CrawledPage = Static<typeof CrawledPage>;

export const CrawledPages = Type.Object({
  pages: Type.Array(CrawledPage),
  nextCursor: nullable(
    Type.String(),
    'Where the next call goes on, also while the crawl has no more yet. Null: it has ended, and this was all',
  ),
});
