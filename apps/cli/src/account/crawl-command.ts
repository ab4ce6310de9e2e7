import { createWriteStream } from 'node:fs';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Environment } from '@turnpike/process/settings';
import { type Command, Option } from 'commander';
import { type Crawl, type CrawledPage, type CrawlOptions, type Turnpike, writeJson } from 'turnpike-client';
import { CommandError } from '../terminal/command-error.ts';
import { paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { StatusLine } from '../terminal/status-line.ts';
import { plainText } from '../terminal/wording.ts';
import { createFlags, jsonObject } from './create-flags.ts';
import { type CallFlags, callFlags, gatewayClient, wholeNumber } from './gateway-call.ts';

interface CrawlFlags extends CrawlOptions, CallFlags {
  include?: string[];
  exclude?: string[];
  page?: Partial<CrawlOptions>;
  output?: string;
  detach?: boolean;
}

const list = (text: string): string[] => text.split(',');

/** `turnpike crawl`: a site, page by page. */
export function crawlCommand(program: Command, env: Environment): void {
  const command = program.command('crawl <url>').description('crawl a site, and print what was found');
  command
    .option('-o, --output <file>', 'write the results to a file, a line of JSON for each page')
    .option('--limit <pages>', 'how many pages (default: 100)', wholeNumber)
    .option('--depth <links>', 'how many links away from the first page', wholeNumber)
    .option('--include <pattern,...>', 'only such addresses; * is anything but /, ** is anything', list)
    .option('--exclude <pattern,...>', 'no such addresses', list)
    .option('--subdomains', 'pages on subdomains too')
    .addOption(new Option('--sitemap <use>', 'use sitemaps').choices(['include', 'only', 'skip']))
    .option('--formats <format,...>', 'what to read of each page (default: markdown)', list)
    .option('--delay <ms>', 'time between two loads from one host', wholeNumber)
    .option('--concurrency <sessions>', 'how many browsers at once', wholeNumber)
    .option('--no-robots', 'do not obey robots.txt')
    .option('--page <json>', 'further parameters; @file reads them from a file', jsonObject)
    .option('--detach', 'print the id of the crawl and leave it running');
  callFlags(createFlags(command))
    .addHelpText(
      'after',
      `
The crawl runs on the service, in sessions of your account. Interrupt this command
to cancel it. With --json each page is a line of JSON.

Examples:
  turnpike crawl https://example.com/ --limit 50 -o site.ndjson
  turnpike crawl https://example.com/ --include '**/blog/**' --json | jq -r .url`,
    )
    .action((url: string, flags: CrawlFlags) => crawlFromCommandLine(env, url, flags));
}

async function crawlFromCommandLine(env: Environment, url: string, flags: CrawlFlags): Promise<void> {
  const client = await gatewayClient(env, flags);
  const started = await client.crawl.start(crawlOptions(url, flags));
  if (flags.detach) return flags.json ? printJson(started) : console.log(started.id);
  const interruption = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => {
    process.exitCode = 128 + constants.signals[signal];
    interruption.abort(new Error('interrupted'));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    const ended = await follow(client, started.id, flags, interruption.signal);
    if (ended.state === 'failed')
      throw new CommandError(`The crawl failed: ${ended.why ?? 'no reason is known'}`);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    await client.crawl.cancel(started.id);
    console.error(`The crawl ${started.id} is cancelled.`);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

/** What the flags ask for. `--page` has the last word. */
function crawlOptions(url: string, flags: CrawlFlags): CrawlOptions {
  const { json: _, timeout: __, retry: ___, output: ____, detach: _____, ...given } = flags;
  const { include, exclude, page, ...rest } = given;
  return {
    url,
    ...rest,
    ...(include && { includePatterns: include }),
    ...(exclude && { excludePatterns: exclude }),
    ...page,
  };
}

/** Prints pages as they are loaded, with the crawl's progress below them on a terminal. */
async function follow(
  client: Turnpike,
  id: string,
  { output, json }: CrawlFlags,
  signal: AbortSignal,
): Promise<Crawl> {
  using status = new StatusLine();
  const ended = client.crawl.wait(id, { signal, onProgress: (crawl) => status.show(progress(crawl)) });
  ended.catch(() => {}); // Handled below, after the pages.
  const pages = client.crawl.pages(id, { signal });
  if (output !== undefined && output !== '-') {
    await pipeline(Readable.from(jsonLines(pages)), createWriteStream(output));
  } else {
    for await (const page of pages) {
      status.clear();
      console.log(json || output === '-' ? writeJson(page) : describe(page));
    }
  }
  const crawl = await ended;
  status.clear();
  if (process.stderr.isTTY) console.error(paint.dim(progress(crawl)));
  return crawl;
}

async function* jsonLines(pages: AsyncIterable<CrawledPage>): AsyncGenerator<string> {
  for await (const page of pages) yield `${writeJson(page)}\n`;
}

function describe({ url, status, title, error }: CrawledPage): string {
  const what = error ? paint.warn(error.code) : plainText(title ?? '').replace(/\s+/g, ' ');
  return `${String(status ?? '-').padEnd(3)}  ${url}  ${what}`.trimEnd();
}

function progress({ pages, waiting }: Crawl): string {
  const { found, done, failed, skipped } = pages;
  const counts = `${done} of ${found} pages loaded, ${failed} failed, ${skipped} skipped`;
  return waiting === null ? counts : `${counts}; waits: ${waiting}`;
}
