import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import http, { createServer, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Browser } from 'playwright-core-1-65';
import type { Inside } from '../inside/inside.ts';
import { DevToolsTransport } from './devtools-transport.ts';

/** Below the home directory, so that the browser may read what Playwright writes there for uploads. */
const directory = join(homedir(), 'tmp', `playwright-${process.pid}`);
const artifacts = join(directory, 'artifacts');
const executables = join(directory, 'executables');

const loopback = '127.0.0.1';

/**
 * Serves Playwright's own protocol. Every client sees the same browser, with the same contexts and pages. The option
 * `package` is the name of the minor's package.
 */
export default async function serve(inside: Inside): Promise<void> {
  const name = inside.options['package'] ?? '';
  mkdirSync(artifacts, { recursive: true, mode: 0o700 });
  await provideFfmpeg(name);
  // A client's command may leave one behind. It is no reason to disconnect the others.
  process.on('unhandledRejection', () => {});
  const transport = await DevToolsTransport.connect(inside, artifacts);
  sendThroughForwarder(inside.forwarder);
  const { default: playwright } = (await import(name)) as { default: typeof import('playwright-core-1-65') };
  actAsServer(playwright);
  const browser = await playwright.chromium.connectOverCDP(transport, { artifactsDir: artifacts });
  browser.on('disconnected', () => process.exit());
  const server = new BoundServer(browser);
  await server.bind();
  const clients = createServer((_request, response) => {
    response.writeHead(426, { 'content-type': 'text/plain; charset=utf-8' });
    response.end("This is the address of a WebSocket. Pass it to Playwright's connect().\n");
  });
  clients.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {}); // A close follows.
    server.connect().then(
      (upstream) => {
        upstream.write(requestHead(request, server.url));
        upstream.write(head);
        pipeline(socket, upstream, socket, () => {}); // It destroys both.
      },
      () => process.exit(), // The next client starts another worker.
    );
  });
  inside.onClient((socket) => clients.emit('connection', socket));
}

/** Playwright's server for the browser, on the session's own loopback. */
class BoundServer {
  url = new URL('ws://localhost');
  readonly #browser: Browser;
  #binding: Promise<void> | undefined;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async bind(): Promise<void> {
    const { endpoint } = await this.#browser.bind('session', { host: loopback, port: 0 });
    this.url = new URL(endpoint);
  }

  /** A client may have ended the server, with `unbind`. Then it is bound again. */
  async connect(): Promise<Socket> {
    try {
      return await connectTo(this.url);
    } catch {
      this.#binding ??= this.bind().finally(() => (this.#binding = undefined));
      await this.#binding;
      return await connectTo(this.url);
    }
  }
}

async function connectTo({ port }: URL): Promise<Socket> {
  const socket = connect(Number(port), loopback);
  await once(socket, 'connect');
  return socket.on('error', () => {}); // A close follows.
}

/** The request as it was sent, to another address. */
function requestHead({ method, rawHeaders }: IncomingMessage, { pathname, host }: URL): string {
  const lines = [`${method} ${pathname} HTTP/1.1`, `Host: ${host}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!/^(?:host|origin)$/i.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/**
 * Sends every HTTP request of this process, so those of `context.request`, through the session's forwarder and its proxy.
 * There is no other way out of the sandbox. Those of a context with a proxy of its own are refused: they must not go
 * through another.
 */
function sendThroughForwarder(forwarder: string): void {
  const options = { keepAlive: true, proxyEnv: { HTTP_PROXY: forwarder, HTTPS_PROXY: forwarder } };
  useAgent(http, new http.Agent(options));
  useAgent(https, new https.Agent(options));
}

const ownProxy =
  'Requests of a context with a proxy of its own cannot be made here. Fetch in one of its pages, or connect to cdpUrl.';

type Request = (
  url: URL,
  options: http.RequestOptions,
  onResponse?: (response: IncomingMessage) => void,
) => http.ClientRequest;

function useAgent(module: { request: Request }, agent: http.Agent): void {
  const { request } = module;
  module.request = (url, options, onResponse) => {
    // Playwright's agents that go through a proxy have it as a member.
    if (typeof options.agent === 'object' && 'proxy' in options.agent) throw new Error(ownProxy);
    return request(url, { ...options, agent }, onResponse);
  };
}

/**
 * Makes Playwright treat paths that clients name as paths of their own machines, as `launchServer` does. There is no
 * public option for it. Without it, videos and archives of clients would be written to these paths in the sandbox.
 */
function actAsServer(playwright: object): void {
  const { _connection: connection } = playwright as {
    _connection: { toImpl(object: object): { options: { isServer?: boolean } } };
  };
  connection.toImpl(playwright).options.isServer = true;
}

/** Playwright looks for its own build of FFmpeg only, which records videos. The system's does it as well. */
async function provideFfmpeg(name: string): Promise<void> {
  process.env['PLAYWRIGHT_BROWSERS_PATH'] = executables;
  const installed = '/usr/bin/ffmpeg';
  if (!existsSync(installed)) return;
  const { default: described } = (await import(`../${name}/browsers.json`, { with: { type: 'json' } })) as {
    default: { browsers: { name: string; revision: string }[] };
  };
  const ffmpeg = described.browsers.find((each) => each.name === 'ffmpeg');
  const directoryOfIt = join(executables, `ffmpeg-${ffmpeg?.revision}`);
  mkdirSync(directoryOfIt, { recursive: true });
  symlinkSync(installed, join(directoryOfIt, 'ffmpeg-linux'));
}
