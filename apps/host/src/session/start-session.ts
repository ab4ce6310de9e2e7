import { totalmem } from 'node:os';
import { HostError, type OpenRequest, type ProxyExit, type UpstreamProxy } from '@turnpike/contract/host';
import { abortable } from '@turnpike/process/abortable';
import type { Span } from '@turnpike/process/trace';
import { within } from '@turnpike/process/within';
import { Upstream } from '@turnpike/tunnel/upstream';
import { UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import type { Logger } from 'pino';
import type { BrowserStart } from '../chromium/browser-start.ts';
import { installedVersion } from '../chromium/installed-version.ts';
import { probeExit } from '../forwarder/exit-probe.ts';
import type { PreparedBrowser } from '../pool/prepared-browser.ts';
import type { WarmPool } from '../pool/warm-pool.ts';
import { AppliedProfile } from '../profile/applied-profile.ts';
import { BrowserLanguages } from '../profile/browser-languages.ts';
import { browserMemory } from '../profile/browser-memory.ts';
import { countryOfUser } from '../profile/country.ts';
import { startFor } from '../profile/plan-start.ts';
import { completeProfile, planDevice } from '../profile/profile.ts';
import { Session } from './session.ts';

export interface StartOptions {
  pool: WarmPool;
  chromium: string;
  proxyTimeoutMs: number;
  probeUrl: URL | undefined;
  logger: Logger;
  span: Span;
  /** When the session has to be open, by `performance.now()`. */
  deadline: number;
}

export interface StartedSession {
  session: Session;
  /** Whether its browser came from the warm pool. */
  warm: boolean;
  exit: ProxyExit | undefined;
}

/** Applying a profile to a running browser takes milliseconds. */
const applyTimeoutMs = 5000;

interface WantedBrowser {
  start: BrowserStart;
  /** A saved profile to start with. */
  archive: Buffer | undefined;
  /** The languages, as far as they are known before the proxy's country is. */
  languages: readonly string[];
}

interface ReadyBrowser {
  prepared: PreparedBrowser;
  warm: boolean;
  languages: BrowserLanguages;
}

/**
 * Checks the proxy while a browser starts, or before one is taken from the pool, so that a proxy that fails takes none.
 * When either fails the other is cancelled.
 */
export async function startSession(
  request: OpenRequest,
  options: StartOptions,
  signal: AbortSignal,
): Promise<StartedSession> {
  const { sessionId, cdpId, proxy, params, lifetimeMs, idleMs, profile } = request;
  const { logger, span } = options;
  const viewerToken = params.vnc ? request.viewerToken : undefined;
  const archive = profile?.archive === undefined ? undefined : Buffer.from(profile.archive, 'base64');
  await using undo = new AsyncDisposableStack();
  const upstream = undo.adopt(new Upstream(proxy, options.proxyTimeoutMs), (created) => created.close());
  const chromiumVersion = installedVersion(options.chromium);
  if (!chromiumVersion) throw new HostError('START_FAILED', 'The browser does not report its version');
  const plan = planDevice(params, { chromiumVersion, memory: browserMemory(totalmem()) });
  const namedCountry = countryOfUser(proxy.username);
  const { languages: expected } = completeProfile(plan, namedCountry);
  const wanted: WantedBrowser = { start: startFor(plan, params.headless), archive, languages: expected };
  const [exit, { prepared, warm, languages }] = await both(
    signal,
    (cancelled) => checkProxy(upstream, options, cancelled),
    (cancelled, checked, giveUp) => getBrowser(options, wanted, checked, { signal: cancelled, giveUp }),
  );
  undo.use(prepared);
  prepared.forwarder.bind(upstream, (err) =>
    logger.debug({ sessionId, err }, 'a connection of the browser was ended: forwarding it failed'),
  );
  const device = completeProfile(plan, exit?.country ?? namedCountry);
  using bounds = within(applyTimeoutMs, signal);
  // What does not follow the signal ends with the browser, which is killed when this fails.
  const applied = await span.step('apply profile', () =>
    abortable(
      AppliedProfile.apply(prepared.browser, device, { logger, languages, signal: bounds.signal }),
      bounds.signal,
    ),
  );
  undo.move();
  const limits = { lifetimeMs, idleMs, maxArchiveBytes: profile?.maxBytes };
  const stealth = params.stealth === true;
  const session = new Session({
    ...{ sessionId, cdpId, viewerToken, prepared, applied, stealth, upstream },
    ...limits,
  });
  span.set({ 'turnpike.warm': warm, 'turnpike.viewer': session.viewing !== undefined });
  return { session, warm, exit };
}

/** Runs both. The first failure cancels the other, and is thrown when both have settled. */
async function both<Checked>(
  signal: AbortSignal,
  check: (signal: AbortSignal) => Promise<Checked>,
  get: (
    signal: AbortSignal,
    checked: Promise<Checked>,
    giveUp: (reason: HostError) => void,
  ) => Promise<ReadyBrowser>,
): Promise<[Checked, ReadyBrowser]> {
  const cancel = new AbortController();
  const cancelled = AbortSignal.any([signal, cancel.signal]);
  const onFailure = (error: unknown) => {
    cancel.abort(error); // Only the first abort counts.
    throw error;
  };
  const giveUp = (reason: HostError) => cancel.abort(reason);
  const checking = check(cancelled).catch(onFailure);
  const [checked, browser] = await Promise.allSettled([
    checking,
    get(cancelled, checking, giveUp).catch(onFailure),
  ]);
  if (!cancelled.aborted && checked.status === 'fulfilled' && browser.status === 'fulfilled') {
    return [checked.value, browser.value];
  }
  if (browser.status === 'fulfilled') await browser.value.prepared[Symbol.asyncDispose]();
  throw cancelled.reason;
}

/** Checks the proxy and, at the same time, finds its exit address. */
async function checkProxy(
  upstream: Upstream,
  { probeUrl, logger, span }: StartOptions,
  signal: AbortSignal,
): Promise<ProxyExit | undefined> {
  const probed = probeUrl && probeExit(upstream, probeUrl, signal);
  probed?.catch((error: Error) => logger.debug({ reason: error.message }, 'exit of the proxy not found'));
  await span.step('check proxy', () =>
    upstream.check(signal).catch((error) => rethrowProxyError(error, upstream.proxy)),
  );
  return probed?.catch(() => undefined);
}

/** Takes a browser from the pool once the proxy is checked, or starts one. */
async function getBrowser(
  { pool, span, deadline }: StartOptions,
  { start, archive, languages: expected }: WantedBrowser,
  checked: Promise<unknown>,
  { signal, giveUp }: { signal: AbortSignal; giveUp(reason: HostError): void },
): Promise<ReadyBrowser> {
  using claim = archive ? undefined : pool.claim(start);
  if (claim) {
    await using undo = new AsyncDisposableStack();
    const languages = undo.use(new BrowserLanguages(claim.browser, expected));
    await checked;
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
