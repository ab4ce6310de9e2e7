import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { EndedBrowser, OpenRequest, UpstreamProxy } from '@turnpike/contract/host';
import { pino } from 'pino';
import { closeServer, listen } from '../../../../tests/fixtures/network/listen.ts';
import { type Host, type HostOptions, startHost } from '../app.ts';
import { type HostConfig, readHostConfig } from '../config.ts';

/** For tests only: a host on a free port, without warm browsers, that keeps its log and the ends it reported. */
export interface TestHost extends AsyncDisposable {
  host: Host;
  ended: EndedBrowser[];
  logs: string[];
  open(request: OpenRequest, signal?: AbortSignal): Promise<OpenedSession>;
}

export interface OpenedSession extends OpenRequest {
  /** The session's CDP URL. */
  url: string;
}

const never = new AbortController().signal;

export async function startTestHost(
  more: Partial<HostConfig> = {},
  newSwitchboard?: HostOptions['newSwitchboard'],
  recordingSink?: HostOptions['recordingSink'],
  resolveProxy?: HostOptions['resolveProxy'],
): Promise<TestHost> {
  const logs: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logs.push(line) });
  const cold = { headful: 0, headless: 0 };
  // A start that is late on a busy machine is no failure of the test.
  const config = { ...readHostConfig({}), port: 0, warm: cold, startTimeoutMs: 120_000, ...more };
  const host = await startHost(config, logger, { newSwitchboard, recordingSink, resolveProxy });
  const ended: EndedBrowser[] = [];
  host.onEnded((end) => ended.push(end));
  return {
    host,
    ended,
    logs,
    async open(request, signal = never) {
      await host.open(request, signal);
      return { ...request, url: `${host.publicUrl}/cdp/${request.cdpId}` };
    },
    [Symbol.asyncDispose]: () => host.shutdown(),
  };
}

/** A proxy that answers requests for pages by itself, and refuses tunnels. */
export async function startPageProxy(
  answer: RequestListener = (_request, response) => response.end('<title>a page</title>'),
): Promise<{ proxy: UpstreamProxy } & AsyncDisposable> {
  const server = createServer(answer);
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'));
  const port = await listen(server);
  return {
    proxy: { scheme: 'http', host: '127.0.0.1', port, addresses: ['127.0.0.1'] },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

interface RequestOptions {
  headless?: boolean;
  lifetimeMs?: number;
  idleMs?: number;
}

export function newRequest(
  proxy: UpstreamProxy,
  { headless = true, lifetimeMs = 600_000, idleMs }: RequestOptions = {},
): OpenRequest {
  return {
    sessionId: `br_${randomBytes(12).toString('hex')}`,
    cdpId: `br_${randomBytes(20).toString('hex')}`,
    viewerToken: randomBytes(20).toString('hex'),
    proxy,
    params: { os: 'windows', headless, vnc: false, forceVisibility: false },
    lifetimeMs,
    timeoutMs: 150_000,
    ...(idleMs === undefined ? {} : { idleMs }),
  };
}
