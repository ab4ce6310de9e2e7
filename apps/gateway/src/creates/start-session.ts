import type { BrowserParams } from '@turnpike/contract/create-parameters';
import { systemOfDevice } from '@turnpike/contract/create-parameters';
import type { OpenRequest } from '@turnpike/contract/host';
import type { Span } from '@turnpike/process/observation/trace';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { ApiError } from '../http/api-error.ts';
import { isMeteredAlike, meteredAs, otherMetering } from '../ledger/metering.ts';
import type { Placement } from '../seams/browser-hosts.ts';
import type { ChosenProxy } from '../seams/session-proxies.ts';
import { newSessionIds } from '../secrets/new-ids.ts';
import { sessionTimes } from '../sessions/session.ts';
import { nameColumns, tagColumn } from '../sessions/session-labels.ts';
import type { SessionRow } from '../store/tables.ts';
import type { CreateChoice } from './admission-store.ts';
import { applySnapshot } from './apply-snapshot.ts';
import type { CreateContext } from './create-context.ts';
import { creationError, keyClosed, tookTooLong } from './create-errors.ts';
import type { Claim } from './idempotency.ts';
import { findKey } from './idempotency-store.ts';
import type { CreateParams, SentParams } from './parameters/create-params.ts';
import {
  chosenIn,
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
  { starting, choice, create: sent }: AdmittedCreate,
  signal: AbortSignal,
  span: Span,
): Promise<SessionRow> {
  const deadlineAt = context.now() + context.createTimeoutMs;
  const { claim } = sent;
  const usesProxies = choice !== undefined;
  let ids: SessionIds = starting;
  let chosen = choice ?? noChoice;
  await using undo = new AsyncDisposableStack();
  undo.defer(() => releaseOrLog(context, ids.id, releaseSession(context.db, ids.id, usesProxies)));

  const create = await applySnapshot(context.snapshots, starting.account_id, sent);
  const { params, snapshot } = create;

  const rename = async () => {
    const next = newSessionIds();
    if (!(await renameStarting(context.db, ids.id, next, claim, usesProxies)))
      throw await whyGone(context, claim);
    ids = next;
  };
  let asked: AskedBrowser | undefined;
  /** Opens the browser through the proxies that are chosen now. */
  const place = async (): Promise<Placement> => {
    const proxies = await span.step('resolve proxy', () => pinnedProxies(context, params, chosen, signal));
    asked ??= { ...(await askedBrowser(context, starting, params)), ...(snapshot && { snapshot }) };
    const { id, cdp_id: cdpId, viewer_token: viewerToken } = ids;
    const request: OpenRequest = { ...asked, ...proxies, sessionId: id, cdpId, viewerToken };
    const renew = async () => {
      await rename();
      return { ...request, sessionId: ids.id, cdpId: ids.cdp_id, viewerToken: ids.viewer_token };
    };
    return span.step('place', ({ traceparent }) =>
      context.placeBrowser({ request, region: params.region, renew, deadlineAt, traceparent }, signal),
    );
  };
  /** Tries the proxies of pools, one after the other, until one works. */
  const placeThroughPools = async (): Promise<Placement> => {
    const failed: FailedTry[] = [];
    for (;;) {
      try {
        return await place();
      } catch (error) {
        const trouble = proxyTrouble(error, chosen);
        if (!trouble || signal.aborted) throw error;
        const { account_id: accountId } = starting;
        await context.proxies.found(accountId, trouble.chosen, { works: false, reason: trouble.reason });
        failed.push(trouble);
        const next = await nextChoice(context, { sessionId: ids.id, accountId }, params, chosen, failed);
        if (!next) throw trouble.chosen.pool ? noneWorks(failed) : error;
        await rename();
        chosen = next;
      }
    }
  };

  try {
    const placed = await (usesProxies ? placeThroughPools() : place());
    undo.defer(() => releaseOrLog(context, ids.id, placed.host.close(ids.id)));
    signal.throwIfAborted();
    const activation = activationOf(context, create, chosen.own, placed);
    const session = await span.step('activate', () => activateSession(context, ids.id, activation));
    if (!session) throw await whyGone(context, claim);
    span.set({ 'turnpike.session.id': session.id, 'turnpike.host': placed.host.name });
    undo.move();
    if (usesProxies) await noteWorks(context, session.account_id, chosen, placed);
    return session;
  } catch (error) {
    throw creationError(error);
  }
}

/** All proxies of the create are URLs. */
const noChoice: CreateChoice = { own: undefined, rules: [] };

type AskedProxies = Pick<OpenRequest, 'proxy' | 'proxyRules'>;
type AskedBrowser = Omit<OpenRequest, 'sessionId' | 'cdpId' | 'viewerToken' | keyof AskedProxies>;

/** Builds what a host is asked for, but for the ids and the proxies, which differ between attempts. */
async function askedBrowser(
  context: CreateContext,
  { id: sessionId, account_id: accountId }: StartingSession,
  { browser, lifetimeSeconds, idleSeconds, profile, cache, extensions }: CreateParams,
): Promise<AskedBrowser> {
  const loaded = profile && (await context.profiles.load(accountId, profile));
  return {
    accountId,
    params: withDevice(browser, loaded?.device),
    lifetimeMs: lifetimeSeconds * 1000,
    timeoutMs: context.createTimeoutMs,
    ...(idleSeconds === undefined ? {} : { idleMs: idleSeconds * 1000 }),
    ...(loaded && { profile: loaded.archive }),
    ...(extensions && { extensions: await context.extensions.load(accountId, extensions) }),
    mayLoadExtensions: context.extensions.mayLoadOthers,
    ...(cache && { cache: await context.profiles.loadCache({ sessionId, accountId, name: cache }) }),
  };
}

/** A saved profile keeps its device, unless the create asks for another one or another system. */
function withDevice(browser: BrowserParams, saved: string | undefined): BrowserParams {
  const { os, device, deviceSeed } = browser;
  if (saved === undefined || device !== undefined || deviceSeed !== undefined) return browser;
  return systemOfDevice(saved) === os ? { ...browser, device: saved } : browser;
}

/** Looks up the addresses of the session's proxy and those of its rules, which are all checked and pinned. */
async function pinnedProxies(
  { proxies, products }: CreateContext,
  { proxy, proxyRules }: CreateParams,
  { own, rules }: CreateChoice,
  signal: AbortSignal,
): Promise<AskedProxies> {
  // Those with names were chosen.
  const ownUrl = own?.proxy ?? (proxy as ProxyUrl);
  const pinned = await proxies.pin(ownUrl, signal);
  if (!proxyRules) return { proxy: pinned };
  const pinRule = async ({ hosts, proxy: asked }: AskedRule, i: number) => {
    const url = rules[i]?.proxy ?? (asked as ProxyUrl);
    if (!isMeteredAlike(meteredAs(products, url), meteredAs(products, ownUrl)))
      throw wrongRule(otherMetering);
    const rulePinned = await proxies.pin(url, signal).catch((error) => {
      throw error instanceof ApiError && error.field === 'proxy' ? wrongRule(error.detail) : error;
    });
    return { hosts, proxy: rulePinned };
  };
  return { proxy: pinned, proxyRules: await Promise.all(proxyRules.map(pinRule)) };
}

const wrongRule = (rule = 'not valid'): ApiError =>
  new ApiError('proxyInvalid', { detail: `in proxy_rules: ${rule}`, field: 'proxy_rules' });

/** Stores that saved proxies work. The session is open whether or not that is stored. */
async function noteWorks(
  context: CreateContext,
  accountId: string,
  choice: CreateChoice,
  { opened }: Placement,
): Promise<void> {
  for (const chosen of chosenIn(choice)) {
    // Where a rule's proxy comes out was not looked at.
    const exit = chosen === choice.own ? opened.exit : undefined;
    try {
      await context.proxies.found(accountId, chosen, { works: true, exit });
    } catch (error) {
      context.logger.warn({ err: error, proxy: chosen.name }, 'could not store that a proxy works');
    }
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
    ...nameColumns(params.name, params.metadata),
    tags: tagColumn(params.tags),
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
