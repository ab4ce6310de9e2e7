import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Environment } from '@turnpike/process/settings';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PageBytes, PageOptions, PageText, ScrapedElements } from 'turnpike-client';
import { CommandError } from '../terminal/command-error.ts';
import { paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, plainText } from '../terminal/wording.ts';
import { createFlags, jsonObject } from './create-flags.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

type Browser = Omit<PageOptions, 'screenshotOptions' | 'pdfOptions' | 'viewport' | 'waitForSelector'>;

interface PageFlags extends Browser, CallFlags {
  session?: string;
  waitUntil?: NonNullable<PageOptions['gotoOptions']>['waitUntil'];
  waitForSelector?: string;
  viewport?: { width: number; height: number };
  page?: Partial<PageOptions>;
  output?: string;
}

const waits = ['load', 'domcontentloaded', 'networkidle0', 'networkidle2'];
const more = `
One call: it opens a session, loads the page and closes the session. The proxy may
be in TURNPIKE_PROXY, where no list of processes shows it.`;

/** `turnpike screenshot`, `pdf`, `content`, `markdown`, `links`, `scrape` and `json`: one call, one page. */
export function pageCommands(program: Command, env: Environment): void {
  program.commandsGroup('Pages:');

  pageCommand(program, 'screenshot', 'take a picture of a page')
    .option('-o, --output <file>', 'where to; - is standard output. A .jpg or .webp is one')
    .option('--full-page', 'the whole page, not only what a screen shows')
    .option('--selector <css>', 'one element')
    .addHelpText(
      'after',
      `${more}

Examples:
  turnpike screenshot https://example.com/ -o shot.png
  turnpike screenshot https://example.com/ -o long.jpg --full-page --os macos
  turnpike screenshot https://example.com/ -o - | display`,
    )
    .action(async (url: string, { fullPage, ...flags }: PageFlags & { fullPage?: boolean }) => {
      refuseTerminal(flags);
      const type = pictureType(flags.output);
      const screenshotOptions = { ...(type && { type }), ...(fullPage && { fullPage }) };
      const options = pageOptions(url, flags);
      const { page } = await gatewayClient(env, flags);
      const own = { ...screenshotOptions, ...options.screenshotOptions };
      await saveBytes(await page.screenshot({ ...options, screenshotOptions: own }), flags);
    });

  pageCommand(program, 'pdf', 'print a page to PDF')
    .option('-o, --output <file>', 'where to; - is standard output')
    .option('--format <paper>', 'letter, legal, tabloid, ledger or a0 to a6 (default: letter)')
    .option('--landscape', 'wide, not high')
    .addHelpText('after', `${more}\n\nExample:\n  turnpike pdf https://example.com/ -o page.pdf --format a4`)
    .action(async (url: string, flags: PageFlags & { format?: string; landscape?: boolean }) => {
      refuseTerminal(flags);
      const { format, landscape, ...rest } = flags;
      const options = pageOptions(url, rest);
      const pdfOptions = {
        ...(format && { format }),
        ...(landscape && { landscape }),
        ...options.pdfOptions,
      };
      const { page } = await gatewayClient(env, flags);
      await saveBytes(await page.pdf({ ...options, pdfOptions }), flags);
    });

  pageCommand(program, 'markdown', 'print the main content of a page as Markdown')
    .option('-o, --output <file>', 'write it to a file')
    .option('--whole-page', 'not only the main content')
    .addHelpText('after', `${more}\n\nExample:\n  turnpike markdown https://example.com/`)
    .action(async (url: string, { wholePage, ...flags }: PageFlags & { wholePage?: boolean }) => {
      const options = { ...(wholePage && { onlyMainContent: false }), ...pageOptions(url, flags) };
      const { page } = await gatewayClient(env, flags);
      await saveText(await page.markdown(options), flags);
    });

  pageCommand(program, 'content', 'print the HTML of a page, after its scripts ran')
    .option('-o, --output <file>', 'write it to a file')
    .option('--selector <css>', 'one element')
    .addHelpText('after', `${more}\n\nExample:\n  turnpike content https://example.com/ -o page.html`)
    .action(async (url: string, flags: PageFlags) => {
      const { page } = await gatewayClient(env, flags);
      await saveText(await page.content(pageOptions(url, flags)), flags);
    });

  pageCommand(program, 'links', 'list the links of a page, one per line')
    .option('--visible-links-only', 'those that can be seen')
    .addHelpText('after', `${more}\n\nExample:\n  turnpike links https://example.com/ | grep /blog/`)
    .action(async (url: string, flags: PageFlags) => {
      const { page } = await gatewayClient(env, flags);
      const answer = await page.links(pageOptions(url, flags));
      if (flags.json) printJson(answer);
      else for (const link of answer.results.links) printText(link);
    });

  pageCommand(program, 'scrape', 'print the text of elements of a page', '<css...>')
    .addHelpText(
      'after',
      `
Each text is a line. --json prints HTML, attributes and places too.
${more}

Example:
  turnpike scrape https://example.com/ h1 'table td:first-child'`,
    )
    .action(async (url: string, selectors: string[], flags: PageFlags) => {
      const { page } = await gatewayClient(env, flags);
      const elements = selectors.map((selector) => ({ selector }));
      const answer = await page.scrape({ ...pageOptions(url, flags), elements });
      if (flags.json) printJson(answer);
      else for (const line of textsOf(answer.results.scrape)) printText(line);
    });

  pageCommand(program, 'json', "print JSON that your account's model makes of a page")
    .requiredOption('--schema <file>', 'the JSON schema that the answer has to fit', schemaFile)
    .option('--prompt <text>', 'what to look for')
    .addHelpText(
      'after',
      `
The model is your own: set its address once, with PUT /user/api/model or a client.
--json prints what is known of the page too.
${more}

Example:
  turnpike json https://example.com/ --schema product.json --prompt 'What is sold?'`,
    )
    .action(async (url: string, given: PageFlags & { schema: object; prompt?: string }) => {
      const { schema, prompt, ...flags } = given;
      const { page } = await gatewayClient(env, flags);
      const asked = { schema, ...(prompt !== undefined && { prompt }) };
      const answer = await page.json({ ...pageOptions(url, flags), ...asked });
      printJson(flags.json ? answer : answer.results.json);
    });
}

const schemaFile = (file: string): Record<string, unknown> => jsonObject(`@${file}`);

function pageCommand(program: Command, name: string, what: string, argument = ''): Command {
  const command = program.command(`${name} <url> ${argument}`.trim()).description(what);
  command
    .addOption(new Option('--wait-until <event>', 'when the page counts as loaded').choices(waits))
    .option('--wait-for-selector <css>', 'wait for an element')
    .option('--viewport <WxH>', 'size of the page in pixels, such as 1280x800', size)
    .option('--session <id>', 'load it in a session that runs, and leave that open')
    .option('--page <json>', 'further parameters of page calls; @file reads them from a file', jsonObject);
  return callFlags(createFlags(command), { timeout: 280 });
}

function size(text: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? [];
  if (!width || !height) throw new InvalidArgumentError('It must be a width and a height, such as 1280x800.');
  return { width: Number(width), height: Number(height) };
}

/** What the flags ask for. `--page` has the last word. */
function pageOptions(url: string, flags: PageFlags): PageOptions {
  const { json: _, timeout: __, retry: ___, output: ____, ...given } = flags;
  const { session, waitUntil, waitForSelector, page, ...rest } = given;
  return {
    url,
    ...rest,
    ...(session !== undefined && { sessionId: session }),
    ...(waitUntil !== undefined && { gotoOptions: { waitUntil } }),
    ...(waitForSelector !== undefined && { waitForSelector: { selector: waitForSelector } }),
    ...page,
  };
}

/** By the end of the file's name; the gateway's default for others. */
function pictureType(file: string | undefined): 'jpeg' | 'webp' | undefined {
  const ending = extname(file ?? '').toLowerCase();
  if (ending === '.jpg' || ending === '.jpeg') return 'jpeg';
  return ending === '.webp' ? 'webp' : undefined;
}

/** Before the call, which costs something. */
function refuseTerminal({ output = '-' }: PageFlags): void {
  if (output === '-' && process.stdout.isTTY)
    throw new CommandError('This is no text, and is not printed to a terminal. Pass -o and a file.');
}

async function saveText({ text, ...read }: PageText, flags: PageFlags): Promise<void> {
  const { output = '-', json } = flags;
  const { data: _, ...about } = read;
  if (output !== '-') return saveBytes(read, flags);
  if (json) return printJson({ ...about, text });
  // A file that the page offered for download is rarely text.
  if (read.fileName === undefined) return printText(text);
  refuseTerminal(flags);
  await saveBytes(read, flags);
}

async function saveBytes({ data, ...about }: PageBytes, { output = '-', json }: PageFlags): Promise<void> {
  if (output === '-') return void process.stdout.write(data);
  await writeFile(output, data);
  if (json) printJson({ ...about, file: output });
  else if (process.stderr.isTTY) console.error(paint.dim(`${output}: ${bytes(data.length)} of ${about.url}`));
}

/** Prints text of a page, which may hold control characters for the terminal. */
function printText(text: string): void {
  const shown = process.stdout.isTTY ? plainText(text) : text;
  process.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}

const textsOf = (scraped: readonly ScrapedElements[]): string[] =>
  scraped.flatMap(({ results }) => results.map(({ text }) => text.replace(/\s+/g, ' ').trim()));
