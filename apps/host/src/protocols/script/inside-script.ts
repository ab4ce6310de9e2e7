import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import http from 'node:http';
import type { Socket } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import puppeteer, { type Browser, type ConnectionTransport, type Page, type Viewport } from 'puppeteer-core';
import { devtoolsSocket } from '../inside/devtools-socket.ts';
import type { Inside } from '../inside/inside.ts';
import { typeOfFile } from './content-type.ts';
import type { ScriptOrder, ScriptResult } from './order.ts';
import { type ShownResult, showResult } from './script-result.ts';

/** The session's files, where the browser saves downloads. */
const files = join(homedir(), 'files');

/** Where Lighthouse is written to. */
const lighthouseDirectory = join(homedir(), 'tmp', `lighthouse-${process.pid}`);

/** As for Playwright's workers. */
const maxMessageBytes = 256 * 2 ** 20;

const downloadPollMs = 100;

/** Runs one script with a page of the session's browser. The host ends this process when it has the answer. */
export default async function serve(inside: Inside): Promise<void> {
  // So that `fetch` of a script works, by the only way that there is.
  http.setGlobalProxyFromEnv({ http_proxy: inside.forwarder, https_proxy: inside.forwarder });
  for (const name of Object.keys(process.env)) delete process.env[name];
  // As in a page, what a script leaves alone does not end it.
  process.on('unhandledRejection', () => {});
  process.on('uncaughtException', () => {});
  const transport = await connect(inside);
  const browser = await puppeteer.connect({ transport, defaultViewport: null });
  inside.onClient((socket) => {
    const incoming = new Incoming(socket);
    readOrder(incoming)
      .then((order) => run(browser, order, incoming))
      .then(
        (result) => answer(socket, result),
        (error: unknown) => answer(socket, { error: messageOf(error) }),
      );
  });
}

/** The session's DevTools, in the form that Puppeteer takes. */
async function connect(inside: Inside): Promise<ConnectionTransport> {
  const webSocket = await devtoolsSocket(inside, { maxPayload: maxMessageBytes });
  webSocket.on('error', () => {}); // A close follows.
  await once(webSocket, 'open');
  const transport: ConnectionTransport = {
    send: (message) => webSocket.send(message),
    close: () => webSocket.close(),
  };
  webSocket.on('message', (data) => transport.onmessage?.(String(data)));
  webSocket.on('close', () => transport.onclose?.());
  return transport;
}

/** What the host sends, in pieces of the lengths that are asked for. */
class Incoming {
  readonly #chunks: AsyncIterator<Buffer>;
  #left = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#chunks = socket.iterator({ destroyOnReturn: false });
  }

  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [this.#left];
    for (let read = this.#left.length; read < length; ) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error('The host is gone');
      pieces.push(value);
      read += value.length;
    }
    const all = Buffer.concat(pieces);
    this.#left = all.subarray(length);
    return all.subarray(0, length);
  }
}

async function readOrder(incoming: Incoming): Promise<ScriptOrder> {
  const length = (await incoming.take(4)).readUInt32BE();
  return JSON.parse((await incoming.take(length)).toString());
}

type Shown = ShownResult & { fileName?: string };

async function run(
  browser: Browser,
  order: ScriptOrder,
  incoming: Incoming,
): Promise<Shown | { error: string }> {
  const shown = await runKind(browser, order, incoming);
  const { maxBytes } = order;
  if (shown.body.length <= maxBytes) return shown;
  return { error: `The answer has ${shown.body.length} bytes. ${maxBytes} are allowed.` };
}

async function runKind(browser: Browser, order: ScriptOrder, incoming: Incoming): Promise<Shown> {
  const page = await browser.newPage();
  if (order.kind === 'performance') {
    await writeFiles(order.files, incoming);
    return await runLighthouse(page, order);
  }
  const { kind, code, context, viewport } = order;
  await page.setViewport(viewport as unknown as Viewport);
  const known = new Set(await finishedFiles());
  const result = await runScript(code, { page, context });
  return kind === 'download' ? await downloaded(known, order.maxBytes) : showResult(result);
}

async function runScript(code: string, given: { page: Page; context: unknown }): Promise<unknown> {
  const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  const module: { default?: unknown } = await import(url);
  if (typeof module.default !== 'function')
    throw new Error(
      'The script must have a function as its default export: export default async ({ page }) => …',
    );
  return await module.default(given);
}

async function writeFiles(sent: ScriptOrder['files'], incoming: Incoming): Promise<void> {
  const made = new Set<string>();
  for (const [path, bytes] of sent) {
    const at = join(lighthouseDirectory, path);
    const directory = dirname(at);
    if (!made.has(directory)) mkdirSync(directory, { recursive: true });
    made.add(directory);
    writeFileSync(at, await incoming.take(bytes));
  }
}

type Lighthouse = (
  url: string,
  flags: object,
  config: object,
  page: Page,
) => Promise<{ lhr: object } | undefined>;

async function runLighthouse(
  page: Page,
  { url, config = { extends: 'lighthouse:default' }, entry }: ScriptOrder & { kind: 'performance' },
): Promise<Shown> {
  const module = pathToFileURL(join(lighthouseDirectory, entry)).href;
  const { default: lighthouse } = (await import(module)) as { default: Lighthouse };
  const result = await lighthouse(url, { output: 'json', logLevel: 'silent' }, config, page);
  return showResult({ data: result?.lhr, type: 'json' });
}

/** Waits for the first file that is whole. The host ends the wait. */
async function downloaded(known: ReadonlySet<string>, maxBytes: number): Promise<Shown> {
  for (;;) {
    const fileName = (await finishedFiles()).find((name) => !known.has(name));
    if (fileName !== undefined) {
      const path = join(files, fileName);
      const { size } = await stat(path);
      if (size > maxBytes) throw new Error(`${fileName} has ${size} bytes. ${maxBytes} are allowed.`);
      return { type: typeOfFile(fileName), body: await readFile(path), fileName };
    }
    await wait(downloadPollMs);
  }
}

/** None, while one is being written. */
async function finishedFiles(): Promise<string[]> {
  const names = await readdir(files).catch(() => []);
  if (names.some((name) => name.endsWith('.crdownload'))) return [];
  return names.filter((name) => !name.startsWith('.')).sort();
}

const maxErrorLength = 4000;

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return String(typeof message === 'string' ? message : error).slice(0, maxErrorLength);
}

function answer(socket: Socket, shown: Shown | { error: string }): void {
  const head: ScriptResult =
    'error' in shown
      ? shown
      : { type: shown.type, bytes: shown.body.length, ...(shown.fileName && { fileName: shown.fileName }) };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  socket.write(Buffer.concat([length, json]));
  socket.end('body' in shown ? shown.body : '');
}
