import { Crawl, CrawledPages, CrawlList } from '@turnpike/contract/crawl';
import { parseIdempotencyKey } from '../creates/idempotency.ts';
import { parseCreateOptions } from '../creates/parameters/parse-create.ts';
import { badRequest } from '../http/api-error.ts';
import { parsePage } from '../http/page-query.ts';
import { objectBody } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import { allowPageCalls } from '../page/allow-page-calls.ts';
import { cancelCrawl, createCrawl, listOwnCrawls, readOwnCrawl, readResults } from './caller-crawls.ts';
import { cancelCrawlApi, crawlApi, crawlPagesApi, crawlsApi, createCrawlApi } from './crawl-api.ts';
import type { CrawlContext } from './crawl-context.ts';
import { readCrawlRequest } from './crawl-request.ts';

const auth = 'key-or-cookie';
/** A batch of long addresses. */
const maxBodyBytes = 4 * 2 ** 20;

type OfCrawl = { Params: { id: string }; Querystring: Record<string, unknown> };

export function crawlRoutes(app: Routes, context: CrawlContext): void {
  app.post(
    '/api/crawl',
    { config: { auth, api: createCrawlApi, maxBodyBytes }, schema: { response: { 202: Crawl } } },
    async (request, reply) => {
      allowPageCalls(context, request.account);
      const asked = readCrawlRequest(objectBody(request));
      const parsed = parseCreateOptions(context, request, asked.plan.create);
      if (!parsed.ok) throw parsed.error;
      const header = request.headers['idempotency-key'];
      const key = header === undefined ? undefined : parseIdempotencyKey(header);
      return reply.code(202).send(await createCrawl(context, request.account.id, asked, key));
    },
  );

  app.get(
    '/api/crawl',
    { config: { auth, api: crawlsApi }, schema: { response: { 200: CrawlList } } },
    async ({ account, query }) => listOwnCrawls(context, account.id, parsePage(query)),
  );

  app.get<OfCrawl>(
    '/api/crawl/:id',
    { config: { auth, api: crawlApi }, schema: { response: { 200: Crawl } } },
    async ({ account, params: { id } }) => readOwnCrawl(context, account.id, id),
  );

  app.get<OfCrawl>(
    '/api/crawl/:id/pages',
    {
      config: { auth, api: crawlPagesApi, isLargeRead: true },
      schema: { response: { 200: CrawledPages } },
    },
    async ({ account, params: { id }, query: { cursor = '0', limit, formats } }, reply) => {
      if (typeof cursor !== 'string' || !/^\d{1,9}$/.test(cursor))
        throw badRequest('cursor must be a nextCursor of an earlier answer');
      const page = parsePage(limit === undefined ? {} : { limit });
      const results = await readResults(context, account.id, id, {
        after: Number(cursor),
        limit: page.limit,
        withFormats: formats !== 'false',
      });
      return reply.type('application/json; charset=utf-8').send(results);
    },
  );

  app.delete<OfCrawl>(
    '/api/crawl/:id',
    { config: { auth, api: cancelCrawlApi }, schema: { response: { 200: Crawl } } },
    async ({ account, params: { id }, query: { deleteResults } }) =>
      cancelCrawl(context, account.id, id, deleteResults === 'true'),
  );
}
