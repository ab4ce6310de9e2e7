import { randomUUID } from 'node:crypto';
import { BidiServer } from 'chromium-bidi/out/Default/gen/src/bidiMapper/BidiMapper.js';
import { BidiParser } from 'chromium-bidi/out/Default/gen/src/bidiTab/BidiParser.js';
import { MapperCdpConnection } from 'chromium-bidi/out/Default/gen/src/cdp/CdpConnection.js';
import type { ChromiumBidi } from 'chromium-bidi/out/Default/gen/src/protocol/protocol.js';
import { WebSocket } from 'ws';
import { type BidiCommand, describedSession, readCommand } from './bidi-message.ts';

/** As large as a message of Chromium's can be. */
export const maxMessageBytes = 100 * 2 ** 20;

/** What may wait for a client that does not read. */
const maxUnsentBytes = 64 * 2 ** 20;

const connectTimeoutMs = 20_000;

/** The id of a command that no client sends, which starts the mapper for a session that exists already. */
const ownCommand = -1;

/** The id of the command that the mapper answers when it knows the windows of all pages. */
const windowsCommand = -2;

/**
 * Serves one client with a mapper of its own, so that subscriptions, scripts and intercepts are the client's and end
 * with its connection. `isAttached`: the BiDi session exists already, as a WebDriver session, so there is no
 * `session.new`.
 */
export async function serveClient(
  client: WebSocket,
  connectBrowser: () => Promise<WebSocket>,
  isAttached: boolean,
): Promise<void> {
  client.on('error', () => {}); // A close follows.
  // Messages stay in the socket until the mapper can take them.
  client.pause();
  const devtools = await connectBrowser();
  devtools.on('error', () => {}); // A close follows.
  const end = () => {
    devtools.terminate();
    client.close(1000);
  };
  client.once('close', end);
  devtools.once('close', end);
  if (client.readyState !== WebSocket.OPEN) return end();
  try {
    await opened(devtools);
    const connection = new MapperCdpConnection(cdpTransport(devtools, end));
    devtools.once('close', () => connection.close());
    const started = Promise.withResolvers<void>();
    if (!isAttached) started.resolve();
    const transport = new BidiTransport(client, end, started);
    const browser = await connection.createBrowserSession();
    await BidiServer.createAndStart(transport, connection, browser, '', new BidiParser());
    if (isAttached) transport.startAttached();
    await started.promise;
    client.resume();
  } catch (error) {
    // If the client or the session is gone, this does nothing more.
    console.error('A BiDi client could not be served:', error);
    client.close(1011, 'the browser did not answer');
    devtools.terminate();
  }
}

async function opened(devtools: WebSocket): Promise<void> {
  const isOpen = Promise.withResolvers<void>();
  devtools.once('open', isOpen.resolve);
  devtools.once('close', () => isOpen.reject(new Error('The connection to the browser was closed')));
  const timer = setTimeout(() => devtools.terminate(), connectTimeoutMs);
  try {
    await isOpen.promise;
  } finally {
    clearTimeout(timer);
  }
}

/** Carries CDP. What the mapper throws on a message ends its own client only. */
function cdpTransport(devtools: WebSocket, end: () => void) {
  return {
    setOnMessage(handler: (message: string) => unknown) {
      devtools.on('message', (data) => {
        try {
          handler(String(data));
        } catch (error) {
          console.error('The BiDi mapper failed:', error);
          end();
        }
      });
    },
    async sendMessage(message: string) {
      if (devtools.readyState === WebSocket.OPEN) devtools.send(message);
    },
    close: () => devtools.terminate(),
  };
}

/** Carries BiDi, and answers what the mapper does not. */
class BidiTransport {
  readonly #client: WebSocket;
  readonly #end: () => void;
  readonly #started: PromiseWithResolvers<void>;
  readonly #sessionId = randomUUID();
  #handler: ((command: ChromiumBidi.Command) => unknown) | undefined;
  /** The command that creates the session. */
  #newSession: number | undefined;
  #hasSession = false;
  /** Tells the client of its session. */
  #begin = () => {};

  constructor(client: WebSocket, end: () => void, started: PromiseWithResolvers<void>) {
    this.#client = client;
    this.#end = end;
    this.#started = started;
    client.on('message', (data, isBinary) => {
      if (isBinary) client.close(1003, 'BiDi messages are text');
      else this.#onText(String(data));
    });
  }

  setOnMessage(handler: (command: ChromiumBidi.Command) => unknown): void {
    this.#handler = handler;
  }

  /** Prompts are left to the WebDriver session. */
  startAttached(): void {
    const alwaysMatch = { unhandledPromptBehavior: { default: 'ignore' } };
    this.#handle({ id: ownCommand, method: 'session.new', params: { capabilities: { alwaysMatch } } });
  }

  sendMessage(message: object): void {
    const { id, type, result } = message as { id?: number; type?: string; result?: object };
    if (id === windowsCommand) this.#begin();
    else if (id === ownCommand && type !== 'success')
      this.#started.reject(new Error(JSON.stringify(message)));
    else if (id === ownCommand) this.#beginWith(() => this.#started.resolve());
    else if (id !== undefined && id === this.#newSession && type === 'success') {
      const described = { ...message, result: describedSession(result ?? {}, this.#sessionId) };
      this.#beginWith(() => this.#send(described));
    } else this.#send(message);
  }

  /** Until the mapper has been told the windows of its pages, it would say that they are in window 0. */
  #beginWith(begin: () => void): void {
    this.#hasSession = true;
    this.#begin = begin;
    this.#handle({ id: windowsCommand, method: 'browser.getClientWindows', params: {} });
  }

  close(): void {
    this.#end();
  }

  #onText(text: string): void {
    const command = readCommand(text);
    if ('error' in command) this.#send(command);
    else if (command.method === 'session.status') {
      const message = this.#hasSession ? 'This connection has a session.' : '';
      this.#answer(command, { ready: !this.#hasSession, message });
    } else if (command.method === 'session.end') {
      this.#answer(command, {});
      this.#end();
    } else this.#handle(command);
  }

  #answer({ id, 'goog:channel': channel }: BidiCommand, result: object): void {
    this.#send({ type: 'success', id, result, ...(channel !== undefined && { 'goog:channel': channel }) });
  }

  #handle(command: BidiCommand): void {
    if (command.method === 'session.new') this.#newSession ??= command.id;
    this.#handler?.(command as unknown as ChromiumBidi.Command);
  }

  #send(message: object): void {
    this.#client.send(JSON.stringify(message));
    if (this.#client.bufferedAmount > maxUnsentBytes) this.#client.terminate();
  }
}
