import type { OpenRequest } from '@turnpike/contract/host';
import type { Span } from '@turnpike/process/observation/trace';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { ApiError } from '../http/api-error.ts';
import { isMeteredAlike, meteredAs, otherMetering } from '../ledger/metering.ts';
import type { Placement } from '../seams/browser-hosts.ts';
import { type ChosenProxy, isNamed } from '../seams/session-proxies.ts';
import { newSessionIds } from '../secrets/new-ids.ts';
import { sessionTimes } from '../sessions/session.ts';
import type { SessionRow } from '../store/tables.ts';
import type { CreateChoice } from './admission-store.ts';
import type { CreateContext } from './create-context.ts';
import { creationError, keyClosed, tookTooLong } from './create-errors.ts';
import type { CreateParams, SentParams } from './create-params.ts';
import type { Claim } from './idempotency.ts';
import { findKey } from './idempotency-store.ts';
import {
  describeChosen,
  type FailedTry,
  nextChoice,
  noneWorks,
  proxyTrouble,
} from './proxies/choose-proxy.ts';
import type { AskedRule } from './proxies/proxy-rules.ts';
import {
  type Activation,
  activateSession,
  releaseSession,
  renameStarting,
  type SessionIds,
  type StartingSession,
} from './starting-session-store.ts';

/** A create that has a slot. */
export interface AdmittedCreate {
  starting: StartingSession;
  /** Of a create that names a proxy. */
  choice: CreateChoice | undefined;
  create: SentParams & { claim: Claim | undefined };
}

/** Takes a create from its slot to ACTIVE. If a step fails, what the steps before it took is released in reverse. */
export async function startSession(
  context: CreateContext,
  { starting, choice, create }: AdmittedCreate,
  signal: AbortSignal,
  span: Span,
): Promise<SessionRow> {
  const { params, claim } = create;
  const deadlineAt = context.now() + context.createTimeoutMs;
  const usesProxies = choice !== undefined;
  let ids: SessionIds = starting;
  let chosen = choice?.own;
  await using undo = new AsyncDisposableStack();
  undo.defer(() => releaseOrLog(context, ids.id, releaseSession(context.db, ids.id, usesProxies)));

  const rename = async () => {
    const next = newSessionIds();
    if (!(await renameStarting(context.db, ids.id, next, claim, usesProxies)))
      throw await whyGone(context, claim);
    ids = next;
  };
  let asked: AskedBrowser | undefined;
  /** Opens the browser through a proxy. */
  const place = async (proxy: ProxyUrl): Promise<Placement> => {
    const pinned = await span.step('resolve proxy', () => context.proxies.pin(proxy, signal));
    asked ??= {
      ...(await askedBrowser(context, starting, params)),
      ...(await pinnedRules(context, choice?.rules ?? params.proxyRules, proxy, signal)),
    };
    const { id, cdp_id: cdpId, viewer_token: viewerToken } = ids;
    const request: OpenRequest = { ...asked, proxy: pinned, sessionId: id, cdpId, viewerToken };
    const renew = async () => {
      await rename();
      return { ...request, sessionId: ids.id, cdpId: ids.cdp_id, viewerToken: ids.viewer_token };
    };
    return span.step('place', ({ traceparent }) =>
      context.placeBrowser({ request, region: params.region, renew, deadlineAt, traceparent }, signal),
    );
  };
  /** Tries the proxies of a pool, one after the other, until one works. */
  const placeThroughPool = async (first: ChosenProxy): Promise<Placement> => {
    const failed: FailedTry[] = [];
    for (let current = first; ; ) {
      try {
        chosen = current;
        return await place(current.proxy);
      } catch (error) {
        const reason = proxyTrouble(error, current.proxy);
        if (reason === undefined || signal.aborted) throw error;
        await context.proxies.found(starting.account_id, current, { works: false, reason });
        failed.push({ chosen: current, reason });
        const session = { sessionId: ids.id, accountId: starting.account_id };
        const next = await nextChoice(context, session, params, failed);
        if (!next) throw first.pool ? noneWorks(failed) : error;
        await rename();
        current = next;
      }
    }
  };

  try {
    const placed = isNamed(params.proxy)
      ? await placeThroughPool(chosen as ChosenProxy)
      : await place(params.proxy);
    undo.defer(() => releaseOrLog(context, ids.id, placed.host.close(ids.id)));
    signal.throwIfAborted();
    const activation = activationOf(context, create, chosen, placed);
    const session = await span.step('activate', () => activateSession(context, ids.id, activation));
    if (!session) throw await whyGone(context, claim);
    span.set({ 'turnpike.session.id': session.id, 'turnpike.host': placed.host.name });
    undo.move();
    if (chosen) await noteWorks(context, session.account_id, chosen, placed);
    return session;
  } catch (error) {
    throw creationError(error);
  }
}

type AskedBrowser = Omit<OpenRequest, 'sessionId' | 'cdpId' | 'viewerToken' | 'proxy'>;

/** Builds what a host is asked for, but for the ids and the proxy, which differ between attempts. */
async function askedBrowser(
  context: CreateContext,
  { id: sessionId, account_id: accountId }: StartingSession,
  { browser, lifetimeSeconds, idleSeconds, profile, cache, extensions }: CreateParams,
): Promise<AskedBrowser> {
  return {
    accountId,
    params: browser,
    lifetimeMs: lifetimeSeconds * 1000,
    timeoutMs: context.createTimeoutMs,
    ...(idleSeconds === undefined ? {} : { idleMs: idleSeconds * 1000 }),
    ...(profile && { profile: await context.profiles.load(accountId, profile) }),
    ...(extensions && { extensions: await context.extensions.load(accountId, extensions) }),
    mayLoadExtensions: context.extensions.mayLoadOthers,
    ...(cache && { cache: await context.profiles.loadCache({ sessionId, accountId, name: cache }) }),
  };
}

/** Looks up the addresses of the proxies of rules, which are checked and pinned as the session's own. */
async function pinnedRules(
  { proxies, products }: CreateContext,
  rules: readonly AskedRule[] | undefined,
  own: ProxyUrl,
  signal: AbortSignal,
): Promise<Pick<OpenRequest, 'proxyRules'>> {
  if (!rules) return {};
  const pinned = rules.map(async ({ hosts, proxy: asked }) => {
    // Those with names were chosen at admission.
    const proxy = asked as ProxyUrl;
    if (!isMeteredAlike(meteredAs(products, proxy), meteredAs(products, own)))
      throw new ApiError('proxyInvalid', {
        detail: `in proxy_rules: ${otherMetering}`,
        field: 'proxy_rules',
      });
    return { hosts, proxy: await proxies.pin(proxy, signal) };
  });
  return { proxyRules: await Promise.all(pinned) };
}

/** Stores that a saved proxy works. The session is open whether or not that is stored. */
async function noteWorks(
  context: CreateContext,
  accountId: string,
  chosen: ChosenProxy,
  { opened }: Placement,
): Promise<void> {
  try {
    await context.proxies.found(accountId, chosen, { works: true, exit: opened.exit });
  } catch (error) {
    context.logger.warn({ err: error, proxy: chosen.name }, 'could not store that a proxy works');
  }
}

/** Builds what the row of a create gets when its browser is up. */
function activationOf(
  { now, standbyPermille }: CreateContext,
  { params, described }: SentParams,
  chosen: ChosenProxy | undefined,
  { host, boot, region, opened }: Placement,
): Activation {
  const { chromiumVersion, exit, profile, viewer, protocols = [] } = opened;
  const turnpike = {
    host: host.name,
    region: region ?? undefined,
    chromiumVersion,
    exitIp: exit?.ip,
    exitCountry: exit?.country,
  };
  return {
    ...sessionTimes(now(), params.lifetimeSeconds),
    standby_permille: params.browser.standby === undefined ? null : standbyPermille,
    host: host.name,
    host_boot: boot,
    host_url: host.publicUrl,
    viewer: viewer ? 1 : 0,
    protocols: protocols.join(),
    params: JSON.stringify({ ...described, ...(chosen && describeChosen(chosen)), profile }),
    metadata: JSON.stringify({ ...params.metadata, turnpike }),
  };
}

/** Tells why a create's row is gone: it took too long and was reaped, or was closed by its Idempotency-Key. */
async function whyGone({ db }: CreateContext, claim: Claim | undefined): Promise<ApiError> {
  const key = claim && (await findKey(db, claim));
  return key && key.closed_at !== null ? keyClosed() : tookTooLong();
}

/** Logs a failure to release something, for the client should see the first failure. The reaper releases it later. */
export async function releaseOrLog(
  { logger }: Pick<CreateContext, 'logger'>,
  sessionId: string,
  work: Promise<unknown>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    logger.warn({ err: error, sessionId }, 'could not undo a failed create at once; the reaper will');
  }
}
