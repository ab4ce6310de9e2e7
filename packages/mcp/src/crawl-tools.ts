import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Crawl, CrawledPage } from 'turnpike-client';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { proxyHelp } from './proxy-help.ts';
import { cut } from './read-page.ts';
import type { SessionToolOptions } from './session-tools.ts';
import { answered, text } from './tool-answers.ts';

const crawl = z.string().min(1).describe('The id of the crawl, from start_crawl.');
const patterns = z.array(z.string()).optional();

/** start_crawl, read_crawl and cancel_crawl: many pages of a site, as Markdown. */
export function crawlTools(
  server: McpServer,
  { client }: AgentBrowsers,
  { proxy: defaultProxy }: SessionToolOptions,
): void {
  server.registerTool(
    'start_crawl',
    {
      title: 'Crawl a site',
      description:
        'Starts to load a page and those that it leads to on the same site, as Markdown, and returns the id of the crawl. ' +
        'It goes on by itself in sessions of the account: read_crawl shows its progress and results.',
      inputSchema: {
        url: z.url({ protocol: /^https?$/ }).describe('Where it starts. http or https.'),
        limit: z.number().int().min(1).max(10_000).default(20).describe('At most this many pages.'),
        depth: z.number().int().min(0).optional().describe('At most this many links from the first page.'),
        include: patterns.describe('Only such addresses, e.g. https://example.com/blog/**'),
        exclude: patterns.describe('No such addresses.'),
        proxy: z.string().optional().describe(proxyHelp(defaultProxy)),
      },
      annotations: { openWorldHint: true },
    },
    ({ url, limit, depth, include, exclude, proxy }, { signal }) =>
      answered(async () => {
        const used = proxy || defaultProxy;
        const { id } = await client.crawl.start({
          url,
          limit,
          signal,
          formats: ['markdown'],
          ...(depth !== undefined && { depth }),
          ...(include && { includePatterns: include }),
          ...(exclude && { excludePatterns: exclude }),
          ...(used && { proxy: used }),
        });
        return text(`The crawl ${id} has started. Read it with read_crawl.`);
      }),
  );

  server.registerTool(
    'read_crawl',
    {
      title: 'Read a crawl',
      description:
        'Returns the state of a crawl and some of its pages, in the order in which they were loaded.',
      inputSchema: {
        crawl,
        cursor: z.string().optional().describe('Where an earlier answer says that it goes on.'),
        limit: z.number().int().min(1).max(50).default(10).describe('At most this many pages.'),
        maxChars: z
          .number()
          .int()
          .min(0)
          .max(20_000)
          .default(1500)
          .describe('At most this many characters of each page. 0: addresses and titles alone.'),
      },
      annotations: { readOnlyHint: true },
    },
    ({ crawl: id, cursor, limit, maxChars }, { signal }) =>
      answered(async () => {
        const state = await client.crawl.status(id, { signal });
        const { pages, nextCursor } = await client.crawl.results(id, { cursor, limit, signal });
        const rest =
          nextCursor === null
            ? 'These were all pages.'
            : `Read on with cursor ${nextCursor}${pages.length === 0 ? ', in a moment: there is nothing new yet' : ''}.`;
        return text([describe(state), ...pages.map((page) => show(page, maxChars)), rest].join('\n\n'));
      }),
  );

  server.registerTool(
    'cancel_crawl',
    {
      title: 'Cancel a crawl',
      description: 'No further page is loaded. What was loaded can still be read.',
      inputSchema: { crawl },
      annotations: { idempotentHint: true },
    },
    ({ crawl: id }, { signal }) =>
      answered(async () => text(describe(await client.crawl.cancel(id, { signal })))),
  );
}

function describe({ id, state, waiting, why, pages }: Crawl): string {
  const { found, done, failed, skipped } = pages;
  const notes = [waiting && `It waits: ${waiting}.`, why].filter(Boolean).join(' ');
  return `Crawl ${id}: ${state}. ${done} of ${found} pages loaded, ${failed} failed, ${skipped} skipped. ${notes}`.trimEnd();
}

function show({ url, status, title, error, formats }: CrawledPage, maxChars: number): string {
  const head = `## ${url}\n${error ? `${error.code}: ${error.message}` : `HTTP status ${status}: ${title ?? ''}`}`;
  const markdown = formats?.['markdown'];
  if (maxChars === 0 || typeof markdown !== 'string') return head;
  return `${head}\n\n${cut(markdown, { offset: 0, maxChars })}`;
}
