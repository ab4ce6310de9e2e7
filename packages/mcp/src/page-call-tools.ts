import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { PageOptions, PageReport } from 'turnpike-client';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { proxyHelp } from './proxy-help.ts';
import { cut } from './read-page.ts';
import type { SessionToolOptions } from './session-tools.ts';
import { answered, image, text } from './tool-answers.ts';

/** A larger picture fills the agent's context. */
const maxPictureBytes = 4 * 2 ** 20;
const shownWarnings = 5;

const page = {
  url: z.url({ protocol: /^https?$/ }).describe('http or https.'),
  waitForSelector: z.string().min(1).optional().describe('A CSS selector to wait for.'),
};
const excerpt = {
  offset: z.number().int().min(0).default(0).describe('The character to start at. The page is loaded again.'),
  maxChars: z.number().int().min(100).max(100_000).default(20_000).describe('At most this many characters.'),
};
const annotations = { readOnlyHint: true, openWorldHint: true };

interface Given {
  url: string;
  waitForSelector?: string | undefined;
  proxy?: string | undefined;
}

/** read_page, screenshot_page and extract_links: one call, one page, in a session of its own. */
export function pageCallTools(
  server: McpServer,
  { client }: AgentBrowsers,
  { proxy: defaultProxy }: SessionToolOptions,
): void {
  const proxy = z.string().optional().describe(proxyHelp(defaultProxy));
  const optionsOf = ({ url, waitForSelector, proxy }: Given, signal: AbortSignal): PageOptions => {
    const used = proxy || defaultProxy;
    return {
      url,
      signal,
      ...(used && { proxy: used }),
      ...(waitForSelector && { waitForSelector: { selector: waitForSelector } }),
    };
  };

  server.registerTool(
    'read_page',
    {
      title: 'Read one page',
      description:
        'Loads a URL in a browser of its own and returns its main content as Markdown. Needs no session and leaves none.',
      inputSchema: {
        ...page,
        wholePage: z.boolean().default(false).describe('Not only the main content. Default: false.'),
        proxy,
        ...excerpt,
      },
      annotations,
    },
    ({ wholePage, offset, maxChars, ...given }, { signal }) =>
      answered(async () => {
        const options = { ...optionsOf(given, signal), onlyMainContent: !wholePage };
        const read = await client.page.read({ ...options, formats: ['markdown'] });
        return text(`${describe(read.page)}\n\n${cut(read.results.markdown, { offset, maxChars })}`);
      }),
  );

  server.registerTool(
    'screenshot_page',
    {
      title: 'Take a picture of one page',
      description:
        'Loads a URL in a browser of its own and returns a picture. Needs no session and leaves none.',
      inputSchema: { ...page, fullPage: z.boolean().default(false), proxy },
      annotations,
    },
    ({ fullPage, ...given }, { signal }) =>
      answered(async () => {
        const screenshotOptions = { type: 'jpeg', quality: 80, fullPage } as const;
        const { data } = await client.page.screenshot({ ...optionsOf(given, signal), screenshotOptions });
        if (data.length > maxPictureBytes)
          return text(`The picture has ${data.length} bytes, which is too much. Take one without fullPage.`);
        return image(Buffer.from(data.buffer), 'image/jpeg');
      }),
  );

  server.registerTool(
    'extract_links',
    {
      title: 'List the links of one page',
      description: 'Loads a URL in a browser of its own and lists its links, one per line, each once.',
      inputSchema: { ...page, proxy, ...excerpt },
      annotations,
    },
    ({ offset, maxChars, ...given }, { signal }) =>
      answered(async () => {
        const read = await client.page.links(optionsOf(given, signal));
        return text(`${describe(read.page)}\n\n${cut(read.results.links.join('\n'), { offset, maxChars })}`);
      }),
  );
}

function describe({ title, url, status, warnings }: PageReport): string {
  const notes = warnings.slice(0, shownWarnings).map((warning) => `Note: ${warning}`);
  return [`Page: ${title ?? ''}`, `URL: ${url}`, `HTTP status: ${status ?? 'none'}`, ...notes].join('\n');
}
