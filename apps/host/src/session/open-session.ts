import { HostError, type OpenRequest, type UpstreamProxy } from '@turnpike/contract/host';
import { Browser, type BrowserOptions } from '../chromium/browser.ts';
import { Forwarder } from '../forwarder/forwarder.ts';
import { ProxyError } from '../forwarder/proxy-error.ts';
import { Upstream } from '../forwarder/upstream.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import { Session } from './session.ts';

export interface OpenOptions {
  sandboxes: Sandboxes;
  chromium: string;
  uid: number | undefined;
  startTimeoutMs: number;
  proxyTimeoutMs: number;
}

/** The browser comes up while the proxy is checked; when either fails the other is cancelled. */
export async function openSession(
  request: OpenRequest,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<Session> {
  const { sessionId, cdpId, proxy, params, lifetimeMs } = request;
  await using undo = new AsyncDisposableStack();
  const forwarder = undo.adopt(new Forwarder(), (made) => made.close());
  const upstream = new Upstream(proxy, options.proxyTimeoutMs);
  forwarder.bind(upstream);
  const browser = await together(
    signal,
    (cancelled) => upstream.check(cancelled).catch((error) => rethrowProxyError(error, proxy)),
    (cancelled) => {
      const { sandboxes, chromium, uid, startTimeoutMs } = options;
      const onListener: BrowserOptions['onListener'] = (listener) => forwarder.adopt(listener);
      return startBrowser(
        { sandboxes, chromium, uid, headless: params.headless, onListener },
        startTimeoutMs,
        cancelled,
      );
    },
  );
  undo.move();
  return new Session({ sessionId, cdpId, browser, forwarder, upstream, lifetimeMs });
}

/** The first failure cancels both and is the one thrown, after both are through. */
async function together(
  signal: AbortSignal,
  check: (signal: AbortSignal) => Promise<void>,
  start: (signal: AbortSignal) => Promise<Browser>,
): Promise<Browser> {
  const cancel = new AbortController();
  const cancelled = AbortSignal.any([signal, cancel.signal]);
  const failing = (error: unknown) => {
    cancel.abort(error); // Only the first abort counts.
    throw error;
  };
  const [, started] = await Promise.allSettled([
    check(cancelled).catch(failing),
    start(cancelled).catch(failing),
  ]);
  if (!cancelled.aborted && started.status === 'fulfilled') return started.value;
  if (started.status === 'fulfilled') await started.value.kill();
  throw cancelled.reason;
}

async function startBrowser(
  options: BrowserOptions,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Browser> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await Browser.start(options, AbortSignal.any([signal, deadline]));
  } catch (cause) {
    if (signal.aborted) throw cause;
    const reason = deadline.aborted ? `it was not up after ${timeoutMs} ms` : (cause as Error).message;
    throw new HostError('START_FAILED', `The browser did not start: ${reason}`, { cause });
  }
}

function rethrowProxyError(error: unknown, { host, port }: UpstreamProxy): never {
  if (!(error instanceof ProxyError)) throw error;
  const name = host.includes(':') ? `[${host}]` : host;
  throw new HostError('PROXY_UNREACHABLE', `The proxy ${name}:${port} ${error.message}`, { cause: error });
}
