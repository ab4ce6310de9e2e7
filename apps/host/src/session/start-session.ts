import { totalmem } from 'node:os';
import { HostError, type OpenRequest, type ProxyExit } from '@turnpike/contract/host';
import type { SnapshotRequest } from '@turnpike/contract/host/open-request';
import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import type { RecordingSink } from '@turnpike/contract/recording';
import { abortable } from '@turnpike/process/abortable';
import type { Span } from '@turnpike/process/observation/trace';
import { countryOf } from '@turnpike/tunnel/exit/ip-country';
import { UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import type { Logger } from 'pino';
import type { BrowserStart } from '../chromium/browser-start.ts';
import type { Controller } from '../chromium/controller.ts';
import { installedVersion } from '../chromium/installed-version.ts';
import { loadExtensions } from '../extensions/load-extensions.ts';
import { anyOf } from '../forwarder/host-rules.ts';
import { SessionTraffic, type TrafficOptions } from '../forwarder/session-traffic.ts';
import type { HostMetrics } from '../metrics/host-metrics.ts';
import type { OwnParts, PreparedBrowser } from '../pool/prepared-browser.ts';
import type { WarmPool } from '../pool/warm-pool.ts';
import { AppliedProfile } from '../profile/applied-profile.ts';
import { BrowserLanguages } from '../profile/browser-languages.ts';
import { browserMemory } from '../profile/browser-memory.ts';
import { countryOfUser } from '../profile/country.ts';
import { startFor } from '../profile/plan-start.ts';
import { completeProfile, type KeptDevice, planDevice } from '../profile/profile.ts';
import type { EndingRecordings } from '../recording/ending-recordings.ts';
import { Recorder } from '../recording/recorder.ts';
import type { CdpConnections } from '../relay/cdp-connections.ts';
import type { FilterLists } from '../saving/filter-lists.ts';
import { RequestBlocker } from '../saving/request-blocker.ts';
import { Saving } from '../saving/saving.ts';
import { restoreSnapshot } from '../snapshot/restore-snapshot.ts';
import { splitSnapshot } from '../snapshot/snapshot-state.ts';
import { BusyPages } from '../standby/busy-pages.ts';
import type { StandbyOptions } from '../standby/standby.ts';
import { Targets } from '../targets/targets.ts';
import { checkUpstream, checkWithExit, pinTrouble, requireExit } from './check-proxy.ts';
import { ExitWatch } from './exit-watch.ts';
import { Session } from './session.ts';

export interface StartOptions extends TrafficOptions, Pick<StandbyOptions, 'wakes' | 'reclaimer'> {
  pool: WarmPool;
  chromium: string;
  probeUrl: URL | undefined;
  pinIntervalMs: number;
  filterLists: FilterLists;
  /** Takes recordings; undefined if sessions cannot be recorded. */
  recordingSink: RecordingSink | undefined;
  /** Recordings of sessions that have ended. */
  endings: EndingRecordings;
  /** Connects sessions' workers to their relays. */
  cdpConnections: CdpConnections;
  /** Looks up the proxies of sessions' contexts; undefined if no gateway answers here. */
  resolveProxy: ResolveProxy | undefined;
  metrics: HostMetrics;
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

interface WantedBrowser {
  start: BrowserStart;
  /** What a warm browser does not have: a saved profile or cache, or authorities that it trusts. */
  own: OwnParts | undefined;
  /** The languages, as far as they are known before the proxy's country is. */
  languages: readonly string[];
  /** Whose session it is for. Empty: unknown. */
  accountId: string;
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
  const { sessionId, accountId = '', cdpId, proxy, params, lifetimeMs, idleMs, profile, cache } = request;
  const { logger, span } = options;
  const viewerToken = params.vnc ? request.viewerToken : undefined;
  const { block } = params;
  const blocker = block && (await abortable(RequestBlocker.create(block, options.filterLists), signal));
  const sink = params.record ? sinkOf(options) : undefined;
  await using undo = new AsyncDisposableStack();
  const traffic = undo.adopt(new SessionTraffic(proxy, params, options, request.proxyRules), (one) =>
    one.close(),
  );
  const pin = params.proxyPinExit;
  const trouble = pin && pinTrouble(options.probeUrl, traffic);
  if (trouble) throw trouble;
  const chromiumVersion = installedVersion(options.chromium);
  if (!chromiumVersion) throw new HostError('START_FAILED', 'The browser does not report its version');
  const snapshot = request.snapshot && (await openSnapshot(request.snapshot));
  const machine = { chromiumVersion, memory: browserMemory(totalmem()) };
  const plan = planDevice(
    params,
    machine,
    request.snapshot?.keepsDevice ? (snapshot?.state.device as KeptDevice) : undefined,
  );
  const namedCountry = proxy.country?.toUpperCase() ?? countryOfUser(proxy.username);
  const { languages: expected } = completeProfile(plan, { country: namedCountry });
  const [address] = proxy.addresses;
  const ofAddress = namedCountry || address === undefined ? undefined : countryOf(address).catch(() => {});
  const wanted: WantedBrowser = {
    start: startFor(plan, params.headless),
    own: ownPartsOf(request, snapshot?.files),
    languages: expected,
    accountId: request.accountId ?? '',
  };
  const [exit, { prepared, warm, languages }] = await both(
    signal,
    async (cancelled) => {
      const found = await checkProxies(traffic, options, cancelled);
      return pin ? requireExit(found) : found;
    },
    (cancelled, checked, giveUp) => getBrowser(options, wanted, checked, { signal: cancelled, giveUp }),
  );
  undo.use(prepared);
  const { controller } = prepared.browser;
  const targets = new Targets(controller, logger);
  const standby =
    params.standby === undefined ? undefined : standbyOf(params.standby, controller, targets, options);
  const saving = new Saving(controller, request, blocker);
  const recorder =
    sink &&
    undo.adopt(
      new Recorder({ request, controller, targets, sink, endings: options.endings, logger }),
      (one) => one.abandon(),
    );
  if (recorder) traffic.onProxy = (added) => recorder.proxyAdded(added);
  traffic.bytesFromCache = () => saving.savings?.bytesFromCache ?? 0;
  traffic.estimate = () => saving.estimate;
  prepared.forwarder.bind(traffic, {
    refuses: anyOf(traffic.refuses, blocker && (({ host }) => blocker.refusesHost(host))),
    onFailure(cause, err, failed) {
      if (failed && err instanceof UpstreamProxyError)
        recorder?.proxyFailed(failed.target, failed.proxy, err);
      options.metrics.forwardingFailed(cause);
      logger.debug({ sessionId, cause, err }, 'a connection of the browser could not be forwarded');
    },
  });
  const country = exit?.country ?? namedCountry;
  const proxyCountry = country ? undefined : ((await ofAddress) ?? undefined);
  const device = completeProfile(plan, { country, proxyCountry });
  // What does not follow the signal ends with the browser, which is killed when this fails.
  const applied = await span.step('apply profile', () =>
    abortable(
      AppliedProfile.apply(prepared.browser, device, {
        logger,
        languages,
        saving,
        signal,
        targets,
      }),
      signal,
    ),
  );
  const { extensions } = request;
  if (extensions) await span.step('load extensions', () => loadExtensions(prepared, extensions, signal));
  if (snapshot)
    await span.step('restore snapshot', () =>
      restoreSnapshot({ controller, targets, applied, logger }, snapshot.state, signal),
    );
  const exitWatch =
    pin && options.probeUrl
      ? new ExitWatch({
          traffic,
          probeUrl: options.probeUrl,
          intervalMs: options.pinIntervalMs,
          stops: pin === 'stop',
          logger,
        })
      : undefined;
  undo.move();
  const archiveLimits = { profile: profile?.maxBytes, cache: cache?.maxBytes };
  const { closeOnDisconnect } = params;
  const closeAfterMs = closeOnDisconnect === undefined ? undefined : closeOnDisconnect * 1000;
  const limits = { lifetimeMs, idleMs, closeAfterMs, archiveLimits };
  const stealth = params.stealth === true;
  const session = new Session({
    sessionId,
    accountId,
    cdpId,
    viewerToken,
    prepared,
    targets,
    applied,
    stealth,
    mayLoadExtensions: request.mayLoadExtensions === true && prepared.browser.isSandboxed,
    traffic,
    saving,
    recorder,
    standby,
    cdpConnections: options.cdpConnections,
    resolveProxy: options.resolveProxy,
    exitWatch,
    chromium: options.chromium,
    logger,
    ...limits,
  });
  span.set({ 'turnpike.warm': warm, 'turnpike.viewer': session.viewing !== undefined });
  return { session, warm, exit };
}

function standbyOf(
  afterSeconds: number,
  controller: Controller,
  targets: Targets,
  { wakes, reclaimer }: StartOptions,
) {
  return { afterMs: afterSeconds * 1000, pages: new BusyPages(controller, targets), wakes, reclaimer };
}

function sinkOf({ recordingSink }: StartOptions): RecordingSink {
  if (recordingSink) return recordingSink;
  throw new HostError('START_FAILED', 'This host has nowhere to send recordings to');
}

function openSnapshot({ archive }: SnapshotRequest): ReturnType<typeof splitSnapshot> {
  return splitSnapshot(Buffer.from(archive, 'base64')).catch((cause: Error) => {
    throw new HostError('START_FAILED', `The snapshot cannot be used: ${cause.message}`, { cause });
  });
}

/** Undefined if a warm browser will do. */
function ownPartsOf(request: OpenRequest, files: Buffer | undefined): OwnParts | undefined {
  const archive = archiveOf(request, files);
  const proxies = [request.proxy, ...(request.proxyRules ?? []).map((rule) => rule.proxy)];
  const bundles = proxies.flatMap(({ ca, trustCa }) => (trustCa && ca !== undefined ? [ca] : []));
  if (!archive && bundles.length === 0) return undefined;
  return { archive, ...(bundles.length > 0 && { trustedCa: bundles.join('\n') }) };
}

/** What its browser unpacks before it starts; undefined means nothing. */
function archiveOf({ profile, cache }: OpenRequest, files: Buffer | undefined): Buffer | undefined {
  const sent = [profile?.archive, cache?.archive].filter((archive) => archive !== undefined);
  const archives = [...(files ? [files] : []), ...sent.map((archive) => Buffer.from(archive, 'base64'))];
  return archives.length === 0 ? undefined : Buffer.concat(archives);
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

/** Checks all proxies at the same time, and finds where the session's own comes out. */
async function checkProxies(
  traffic: SessionTraffic,
  options: StartOptions,
  signal: AbortSignal,
): Promise<ProxyExit | undefined> {
  const [exit] = await options.span.step('check proxy', () =>
    Promise.all([
      checkWithExit(traffic.own, traffic, options, signal),
      ...Array.from(traffic.routes, async (route) =>
        route === traffic.own ? undefined : await checkUpstream(route.upstream, signal),
      ),
    ]),
  );
  return exit;
}

/** Takes a browser from the pool once the proxy is checked, or starts one. */
async function getBrowser(
  { pool, span, deadline }: StartOptions,
  { start, own, languages: expected, accountId }: WantedBrowser,
  checked: Promise<unknown>,
  { signal, giveUp }: { signal: AbortSignal; giveUp(reason: HostError): void },
): Promise<ReadyBrowser> {
  using claim = own ? undefined : pool.claim(start);
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
    pool.startCold(start, { accountId, signal, deadline, giveUp, own }),
  );
  return { prepared, warm: false, languages: new BrowserLanguages(prepared.browser, expected) };
}
