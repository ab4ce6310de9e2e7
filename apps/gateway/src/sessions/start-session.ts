import type { OpenRequest, UpstreamProxy } from '@turnpike/contract/host';
import type { Span } from '@turnpike/process/trace';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { ApiError } from '../http/api-error.ts';
import type { SessionRow } from '../store/tables.ts';
import { creationError, keyClosed, tookTooLong } from './create-errors.ts';
import type { CreateParams } from './create-params.ts';
import type { Claim } from './idempotency.ts';
import { findKey } from './idempotency-store.ts';
import type { SessionContext } from './session-context.ts';
import {
  activateSession,
  releaseSession,
  renameStarting,
  type SessionIds,
  type StartingSession,
} from './session-lifecycle-store.ts';
import { activationOf, newIds } from './starting-session.ts';

/** Takes a create from its slot to ACTIVE. If a step fails, what the steps before it took is released in reverse. */
export async function startSession(
  context: SessionContext,
  starting: StartingSession,
  { params, claim }: { params: CreateParams; claim: Claim | undefined },
  signal: AbortSignal,
  span: Span,
): Promise<SessionRow> {
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
      const next = newIds();
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
    const activation = activationOf(params, placed, context.now());
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
  context: SessionContext,
  { id: sessionId, account_id: accountId }: StartingSession,
  { proxy, browser, lifetimeSeconds, idleSeconds, profile, cache }: CreateParams,
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
    ...(cache && { cache: await context.profiles.loadCache({ sessionId, accountId, name: cache }) }),
  };
}

/** Looks up the proxy's addresses and refuses those that are not allowed. Without any, the host reports the failure. */
async function checkedProxy(
  { proxyGuard }: SessionContext,
  proxy: ProxyUrl,
  signal: AbortSignal,
): Promise<UpstreamProxy> {
  const resolution = await proxyGuard.resolve(proxy.host, signal);
  if (resolution.ok) return { ...proxy, addresses: resolution.addresses };
  if (resolution.reason === 'not-allowed')
    throw new ApiError('proxyInvalid', { detail: 'address not allowed', field: 'proxy' });
  return { ...proxy, addresses: [] };
}

/** Tells why a create's row is gone: it took too long and was reaped, or was closed by its Idempotency-Key. */
async function whyGone({ db }: SessionContext, claim: Claim | undefined): Promise<ApiError> {
  const key = claim && (await findKey(db, claim));
  return key && key.closed_at !== null ? keyClosed() : tookTooLong();
}

/** Logs a failure to release something, for the client should see the first failure. The reaper releases it later. */
export async function releaseOrLog(
  { logger }: Pick<SessionContext, 'logger'>,
  sessionId: string,
  work: Promise<unknown>,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    logger.warn({ err: error, sessionId }, 'could not undo a failed create at once; the reaper will');
  }
}
