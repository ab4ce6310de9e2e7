import type { OpenRequest, UpstreamProxy } from '@turnpike/contract/host';
import type { Span } from '@turnpike/process/observation/trace';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { ApiError } from '../http/api-error.ts';
import type { Placement } from '../seams/browser-hosts.ts';
import { newSessionIds } from '../secrets/new-ids.ts';
import { sessionTimes } from '../sessions/session.ts';
import type { SessionRow } from '../store/tables.ts';
import type { CreateContext } from './create-context.ts';
import { creationError, keyClosed, tookTooLong } from './create-errors.ts';
import type { CreateParams, SentParams } from './create-params.ts';
import type { Claim } from './idempotency.ts';
import { findKey } from './idempotency-store.ts';
import {
  type Activation,
  activateSession,
  releaseSession,
  renameStarting,
  type SessionIds,
  type StartingSession,
} from './starting-session-store.ts';

/** Takes a create from its slot to ACTIVE. If a step fails, what the steps before it took is released in reverse. */
export async function startSession(
  context: CreateContext,
  starting: StartingSession,
  create: SentParams & { claim: Claim | undefined },
  signal: AbortSignal,
  span: Span,
): Promise<SessionRow> {
  const { params, claim } = create;
  const deadlineAt = context.now() + context.createTimeoutMs;
  let ids: SessionIds = starting;
  await using undo = new AsyncDisposableStack();
  undo.defer(() => releaseOrLog(context, ids.id, releaseSession(context.db, ids.id)));
  try {
    const asked = await browserRequest(context, starting, params, signal, span);
    const request = (): OpenRequest => ({
      ...asked,
      sessionId: ids.id,
      cdpId: ids.cdp_id,
      viewerToken: ids.viewer_token,
    });
    const renew = async () => {
      const next = newSessionIds();
      if (!(await renameStarting(context.db, ids.id, next, claim))) throw await whyGone(context, claim);
      ids = next;
      return request();
    };
    const placed = await span.step('place', ({ traceparent }) =>
      context.placeBrowser(
        { request: request(), region: params.region, renew, deadlineAt, traceparent },
        signal,
      ),
    );
    undo.defer(() => releaseOrLog(context, ids.id, placed.host.close(ids.id)));
    signal.throwIfAborted();
    const activation = activationOf(create, placed, context.now());
    const session = await span.step('activate', () => activateSession(context, ids.id, activation));
    if (!session) throw await whyGone(context, claim);
    span.set({ 'turnpike.session.id': session.id, 'turnpike.host': placed.host.name });
    undo.move();
    return session;
  } catch (error) {
    throw creationError(error);
  }
}

/** Builds what a host is asked for, but for the ids, which differ between attempts. */
async function browserRequest(
  context: CreateContext,
  { id: sessionId, account_id: accountId }: StartingSession,
  { proxy, browser, lifetimeSeconds, idleSeconds, profile, cache, extensions }: CreateParams,
  signal: AbortSignal,
  span: Span,
): Promise<Omit<OpenRequest, 'sessionId' | 'cdpId' | 'viewerToken'>> {
  return {
    accountId,
    proxy: await span.step('resolve proxy', () => checkedProxy(context, proxy, signal)),
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

/** Looks up the proxy's addresses and refuses those that are not allowed. Without any, the host reports the failure. */
async function checkedProxy(
  { proxyGuard }: CreateContext,
  proxy: ProxyUrl,
  signal: AbortSignal,
): Promise<UpstreamProxy> {
  const resolution = await proxyGuard.resolve(proxy.host, signal);
  if (resolution.ok) return { ...proxy, addresses: resolution.addresses };
  if (resolution.reason === 'not-allowed')
    throw new ApiError('proxyInvalid', { detail: 'address not allowed', field: 'proxy' });
  return { ...proxy, addresses: [] };
}

/** Builds what the row of a create gets when its browser is up. */
function activationOf(
  { params, described }: SentParams,
  { host, boot, region, opened }: Placement,
  now: number,
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
    ...sessionTimes(now, params.lifetimeSeconds),
    host: host.name,
    host_boot: boot,
    host_url: host.publicUrl,
    viewer: viewer ? 1 : 0,
    protocols: protocols.join(),
    params: JSON.stringify({ ...described, profile }),
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
