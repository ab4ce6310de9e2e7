import { totalmem } from 'node:os';
import { HostError, type OpenRequest, type ProxyExit, type UpstreamProxy } from '@turnpike/contract/host';
import type { Span } from '@turnpike/process/trace';
import { within } from '@turnpike/process/within';
import { Upstream } from '@turnpike/tunnel/upstream';
import { UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import type { Logger } from 'pino';
import { abortable } from '../abortable.ts';
import type { BrowserStart } from '../chromium/flags.ts';
import { installedVersion } from '../chromium/installed-version.ts';
import { probeExit } from '../forwarder/exit-probe.ts';
import type { PreparedBrowser } from '../pool/prepared-browser.ts';
import type { WarmPool } from '../pool/warm-pool.ts';
import { AppliedProfile } from '../profile/applied-profile.ts';
import { BrowserLanguages } from '../profile/browser-languages.ts';
import { browserMemory } from '../profile/browser-memory.ts';
import { startFor } from '../profile/browser-start.ts';
import { countryOfUser } from '../profile/country.ts';
import { planDevice, settle } from '../profile/profile.ts';
import { Session } from './session.ts';

export interface OpenOptions {
  pool: WarmPool;
  chromium: string;
  proxyTimeoutMs: number;
  probeUrl: URL | undefined;
  logger: Logger;
  span: Span;
  /** By `performance.now()`: when it has to be open. */
  deadline: number;
}

export interface OpenedSession {
  session: Session;
  /** Whether its browser was up before it was asked for. */
  warm: boolean;
  exit: ProxyExit | undefined;
}

/** For a browser that is up to be told what it is; it takes milliseconds. */
const applyTimeoutMs = 5000;

interface Supply {
  prepared: PreparedBrowser;
  warm: boolean;
  languages: BrowserLanguages;
}

interface Wish {
  start: BrowserStart;
  archive: Buffer | undefined;
  /** As far as they are known before the proxy is. */
  languages: readonly string[];
}

/**
 * The proxy is checked while a browser starts, or first where one waits: so a proxy that fails takes none from
 * the pool. When either fails the other is cancelled.
 */
export async function openSession(
  request: OpenRequest,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const { sessionId, cdpId, proxy, params, lifetimeMs, idleMs, profile } = request;
  const viewerToken = params.vnc ? request.viewerToken : undefined;
  const archive = profile?.archive === undefined ? undefined : Buffer.from(profile.archive, 'base64');
  await using undo = new AsyncDisposableStack();
  const upstream = undo.adopt(new Upstream(proxy, options.proxyTimeoutMs), (made) => made.close());
  const chromiumVersion = installedVersion(options.chromium);
  if (!chromiumVersion) throw new HostError('START_FAILED', 'The browser does not say its version');
  const plan = planDevice(params, { chromiumVersion, memory: browserMemory(totalmem()) });
  const named = countryOfUser(proxy.username);
  const { languages: expected } = settle(plan, named);
  const wish: Wish = { start: startFor(plan, params.headless), archive, languages: expected };
  const [exit, { prepared, warm, languages }] = await together(
    signal,
    (cancelled) => meet(upstream, options, cancelled),
    (cancelled, met, giveUp) => supply(options, wish, met, { signal: cancelled, giveUp }),
  );
  undo.use(prepared);
  prepared.forwarder.bind(upstream, (err) =>
    options.logger.debug({ sessionId, err }, 'a connection of the browser was ended: forwarding it failed'),
  );
  const device = settle(plan, exit?.country ?? named);
  using inTime = within(applyTimeoutMs, signal);
  const applied = await options.span.step('apply profile', () =>
    abortable(AppliedProfile.to(prepared.browser, device, options.logger, languages), inTime.signal),
  );
  undo.move();
  const bounds = { lifetimeMs, idleMs, maxArchiveBytes: profile?.maxBytes };
  const session = new Session({ sessionId, cdpId, viewerToken, prepared, applied, upstream, ...bounds });
  options.span.set({ 'turnpike.warm': warm, 'turnpike.viewer': session.viewing !== undefined });
  return { session, warm, exit };
}

/** The first failure cancels both and is the one thrown, after both are through. */
async function together<Met>(
  signal: AbortSignal,
  meet: (signal: AbortSignal) => Promise<Met>,
  supply: (signal: AbortSignal, met: Promise<Met>, giveUp: (reason: HostError) => void) => Promise<Supply>,
): Promise<[Met, Supply]> {
  const cancel = new AbortController();
  const cancelled = AbortSignal.any([signal, cancel.signal]);
  const failing = (error: unknown) => {
    cancel.abort(error); // Only the first abort counts.
    throw error;
  };
  const giveUp = (reason: HostError) => cancel.abort(reason);
  const meeting = meet(cancelled).catch(failing);
  const [met, supplied] = await Promise.allSettled([
    meeting,
    supply(cancelled, meeting, giveUp).catch(failing),
  ]);
  if (!cancelled.aborted && met.status === 'fulfilled' && supplied.status === 'fulfilled') {
    return [met.value, supplied.value];
  }
  if (supplied.status === 'fulfilled') await supplied.value.prepared[Symbol.asyncDispose]();
  throw cancelled.reason;
}

/** Checks the proxy and, beside that, finds out where it comes out. */
async function meet(
  upstream: Upstream,
  { probeUrl, logger, span }: OpenOptions,
  signal: AbortSignal,
): Promise<ProxyExit | undefined> {
  const probed = probeUrl && probeExit(upstream, probeUrl, signal);
  probed?.catch((error: Error) => logger.debug({ reason: error.message }, 'exit of the proxy not found'));
  await span.step('check proxy', () =>
    upstream.check(signal).catch((error) => rethrowProxyError(error, upstream.proxy)),
  );
  return probed?.catch(() => undefined);
}

async function supply(
  { pool, span, deadline }: OpenOptions,
  { start, archive, languages: expected }: Wish,
  met: Promise<unknown>,
  { signal, giveUp }: { signal: AbortSignal; giveUp(reason: HostError): void },
): Promise<Supply> {
  using claim = archive ? undefined : pool.claim(start);
  if (claim) {
    await using undo = new AsyncDisposableStack();
    const languages = undo.use(new BrowserLanguages(claim.browser, expected));
    await met;
    signal.throwIfAborted();
    const prepared = await span.step('take warm browser', async () => claim.take());
    if (prepared) {
      undo.move();
      return { prepared, warm: true, languages };
    }
  }
  const prepared = await span.step('start cold browser', () =>
    pool.startCold(start, { signal, deadline, giveUp, archive }),
  );
  return { prepared, warm: false, languages: new BrowserLanguages(prepared.browser, expected) };
}

function rethrowProxyError(error: unknown, { host, port }: UpstreamProxy): never {
  if (!(error instanceof UpstreamProxyError)) throw error;
  const name = host.includes(':') ? `[${host}]` : host;
  throw new HostError('PROXY_UNREACHABLE', `The proxy ${name}:${port} ${error.message}`, { cause: error });
}
