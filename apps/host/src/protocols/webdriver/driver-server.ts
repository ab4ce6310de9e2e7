import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { beginValue, sendError, sendValue } from './answers.ts';
import { WrongUpload } from './base64.ts';
import {
  describedCapabilities,
  readWanted,
  type SessionAddresses,
  WrongCapabilities,
} from './capabilities.ts';
import type { Driver } from './driver.ts';
import type { WebdriverFiles } from './session-files.ts';
import { WrongZip } from './zip.ts';

/** Each costs ChromeDriver connections and memory. */
const maxSessions = 8;

/** The largest body that is read as a whole. */
const maxBodyBytes = 2 ** 20;

/** A path below the session's WebDriver URL. Some clients begin it as Selenium's old server did. */
const commandPath = /^(?:\/wd\/hub)?(\/(?:status|sessions|session(?:\/([^/?]+)(\/[^?]*)?)?))\/?(?:\?.*)?$/;

/** Answers WebDriver commands: new sessions and files by itself, the others by ChromeDriver. */
export class DriverServer {
  readonly #driver: Driver;
  readonly #files: WebdriverFiles;
  readonly #cdpId: string;
  /** The one that was used last is the last. */
  readonly #sessions = new Set<string>();
  #starting = 0;

  constructor(driver: Driver, files: WebdriverFiles, cdpId: string) {
    this.#driver = driver;
    this.#files = files;
    this.#cdpId = cdpId;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const [, path, sessionId, command] = commandPath.exec(url) ?? [];
    if (path === undefined) return sendError(response, 'unknown command', `There is no ${method} ${url}.`);
    if (sessionId === undefined) {
      if (path === '/session' && method === 'POST') await this.#create(request, response);
      else await this.#pass(request, response, path);
      return;
    }
    if (!this.#sessions.delete(sessionId))
      return sendError(response, 'invalid session id', 'There is no such WebDriver session.');
    this.#sessions.add(sessionId);
    if (command === undefined && method === 'DELETE') await this.#delete(sessionId, response);
    else if ((command === '/se/file' || command === '/file') && method === 'POST')
      sendValue(response, await this.#files.upload(request));
    else if (command === '/se/files') await this.#answerFiles(method, request, response);
    else await this.#pass(request, response, path);
  }

  async #create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wanted = readWanted(await readJson(request), this.#driver.debuggerAddress);
    await this.#makeRoom();
    this.#starting += 1;
    try {
      const { status, value } = await this.#driver.call('POST', '/session', wanted.body);
      if (status !== 200) return sendValue(response, value, status);
      const { sessionId, capabilities } = value;
      this.#sessions.add(sessionId);
      const addresses = { base: addressOf(request), cdpId: this.#cdpId };
      sendValue(response, {
        sessionId,
        capabilities: describedCapabilities(capabilities, sessionId, wanted, addresses),
      });
    } finally {
      this.#starting -= 1;
    }
  }

  /** Clients that ended without a word leave their sessions. The one that was not used for the longest time ends. */
  async #makeRoom(): Promise<void> {
    if (this.#starting >= maxSessions)
      throw new WrongCapabilities('session not created', `${maxSessions} WebDriver sessions are starting.`);
    while (this.#sessions.size + this.#starting >= maxSessions) {
      const [unused] = this.#sessions.keys();
      if (unused === undefined) return;
      this.#sessions.delete(unused);
      await this.#driver.call('DELETE', `/session/${unused}`);
    }
  }

  async #delete(sessionId: string, response: ServerResponse): Promise<void> {
    this.#sessions.delete(sessionId);
    const { status, value } = await this.#driver.call('DELETE', `/session/${sessionId}`);
    sendValue(response, value, status);
  }

  async #answerFiles(method: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (method === 'GET') {
      const files = await this.#files.list();
      sendValue(response, { names: files.map(({ name }) => name), files });
    } else if (method === 'POST') await this.#download(request, response);
    else if (method === 'DELETE') {
      await this.#files.clear();
      sendValue(response, null);
    } else sendError(response, 'unknown command', 'Downloads have GET, POST and DELETE.');
  }

  async #download(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { name } = (await readJson(request)) as { name?: unknown };
    const contents = typeof name === 'string' ? await this.#files.download(name) : undefined;
    if (!contents)
      return sendError(response, 'invalid argument', '`name` must be the name of a file of the session.');
    beginValue(response);
    const filename = JSON.stringify(name);
    await pipeline(async function* () {
      yield `{"value":{"filename":${filename},"contents":"`;
      yield* contents;
      yield '"}}';
    }, response);
  }

  async #pass(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const upstream = this.#driver.request(request.method ?? '', path, request.headers);
    response.once('close', () => upstream.destroy());
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      upstream.once('response', resolve);
      upstream.on('error', reject);
    });
    const [answer] = await Promise.all([answered, pipeline(request, upstream)]);
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    await pipeline(answer, response);
  }
}

/** Answers a request that failed. */
export function answerFailure(response: ServerResponse, error: unknown): void {
  if (error instanceof WrongCapabilities) sendError(response, error.code, error.message);
  else if (error instanceof WrongUpload || error instanceof WrongZip)
    sendError(response, 'invalid argument', error.message);
  else {
    const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC';
    sendError(response, 'unknown error', isFull ? "The session's files are full." : String(error));
  }
}

/** The address that the client used, as that of a WebSocket. */
function addressOf({ headers }: IncomingMessage): SessionAddresses['base'] {
  const { host = 'localhost', 'x-forwarded-host': forwardedHost, 'x-forwarded-proto': proto } = headers;
  const name = typeof forwardedHost === 'string' ? forwardedHost : host;
  return `${proto === 'https' || proto === 'wss' ? 'wss' : 'ws'}://${name}`;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new WrongCapabilities('invalid argument', 'The body is too large.');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new WrongCapabilities('invalid argument', 'The body must be JSON.');
  }
}
