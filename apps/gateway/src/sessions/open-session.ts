import { errors } from '@turnpike/contract/errors';
import type { OpenedBrowser, UpstreamProxy } from '@turnpike/contract/host';
import type { ProxyUrl } from '@turnpike/process/proxy-url';
import type { Span } from '@turnpike/process/trace';
import { within } from '@turnpike/process/within';
import type { Gateway } from '../gateway.ts';
import { placeBrowser } from '../hosts/place-browser.ts';
import { ApiError } from '../http/api-error.ts';
import { profileRequest } from '../saved-profiles/session-profile.ts';
import { newCdpId, newSessionId, newViewerToken } from '../secrets/new-ids.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import { admitCreate } from './admission-store.ts';
import { abandonSession } from './close-session.ts';
import {
  creationError,
  errorWhileStopping,
  keyClosed,
  refusal,
  shuttingDown,
  tookTooLong,
} from './create-errors.ts';
import { type CreateParams, type CreateRequest, describeParams } from './create-params.ts';
import { type Claim, claimOf } from './idempotency.ts';
import { findKey } from './idempotency-store.ts';
import { observeCreate } from './observe-create.ts';
import { repeatSession } from './repeat-session.ts';
import { sessionTimes } from './session.ts';
import { meteredAs } from './session-meter.ts';
import {
  activateSession,
  releaseSession,
  renameStarting,
  type SessionIds,
  type StartingSession,
} from './session-store.ts';
import type { Place } from './wait-queue-store.ts';

/** A row outlives its create's own time limit by this much before it is reaped. */
const reapGraceMs = 5000;

export interface OpenedSession {
  session: SessionRow;
  /** Null: unlimited. */
  limit: number | null;
  /** Slots still free after this one. */
  remaining: number | null;
}

/**
 * A create: admission, which takes a slot, then a browser. `hangUp` aborts when the client goes away. While the gateway
 * stops, what is under way and would end with it comes to nothing, and its client is told to try again.
 */
export function openSession(
  gateway: Gateway,
  account: AccountRow,
  parse: () => CreateRequest,
  hangUp: AbortSignal,
  span: Span,
): Promise<OpenedSession> {
  return observeCreate(gateway.metrics, hangUp, async () => {
    if (gateway.stopping.creating.aborted) throw shuttingDown();
    try {
      return await open(gateway, account, parse, hangUp, span);
    } catch (error) {
      throw errorWhileStopping(gateway.stopping, error);
    }
  });
}

async function open(
  gateway: Gateway,
  account: AccountRow,
  parse: () => CreateRequest,
  hangUp: AbortSignal,
  span: Span,
): Promise<OpenedSession> {
  const parsed = attempt(parse);
  const waitSeconds = parsed.ok ? parsed.value.waitSeconds : 0;
  using patience = waitSeconds > 0 ? within(waitSeconds * 1000, hangUp, gateway.stopping.waiting) : undefined;
  const repeatUntil = performance.now() + gateway.createTimeoutMs + waitSeconds * 1000;
  let place: Place | undefined;
  try {
    for (;;) {
      const waits = patience !== undefined && !patience.signal.aborted;
      const opened = await tryOpen(gateway, account, parsed, { hangUp, waits, place, repeatUntil, span });
      if ('session' in opened) return opened;
      const { place: own, refusal, forSeat } = opened;
      place = own;
      if (!refusal) continue;
      const turn = () => gateway.line.next(own, forSeat, patience?.signal ?? hangUp);
      if (!waits || !(await span.step('wait', turn))) throw refusal;
    }
  } finally {
    if (place && waitSeconds > 0) await giveBack(gateway, 'waiting', gateway.line.leave(place));
  }
}

interface Attempt {
  hangUp: AbortSignal;
  waits: boolean;
  /** Where it stood in line before; undefined: it comes for the first time. */
  place: Place | undefined;
  /** By `performance.now()`: how long it waits for others with its key, however many of them fail. */
  repeatUntil: number;
  span: Span;
}

/** It may be tried again from its place: at once, or when there may be what it was refused for. */
interface TryAgain {
  place: Place;
  refusal?: ApiError;
  forSeat: boolean;
}

async function tryOpen(
  gateway: Gateway,
  account: AccountRow,
  parsed: Attempted<CreateRequest>,
  { hangUp, waits, place, repeatUntil, span }: Attempt,
): Promise<OpenedSession | TryAgain> {
  const key = parsed.ok ? parsed.value.idempotencyKey : undefined;
  const claim = parsed.ok && key !== undefined ? claimOf(account.id, key, parsed.value.params) : undefined;
  const startedAt = performance.now();
  const starting = parsed.ok ? startingSession(gateway, account, parsed.value.params) : undefined;
  const { gateway: here } = gateway.line;
  const admission = await span.step('admit', async (step) => {
    const decision = await admitCreate(gateway.db, {
      accountId: account.id,
      now: gateway.now(),
      session: starting,
      claim,
      counted: place?.ticket,
      waitsAt: waits ? here : undefined,
    });
    step.set({ 'turnpike.admission': decision.outcome });
    return decision;
  });
  const from = (ticket: number): Place => ({ accountId: account.id, ticket, gateway: here });
  if (admission.outcome === 'repeated') {
    using bounds = within(
      Math.max(0, Math.ceil(repeatUntil - performance.now())),
      hangUp,
      gateway.stopping.creating,
    );
    const repeated = await repeatSession(gateway, account, admission, bounds.signal);
    return repeated ?? { place: from(admission.ticket), forSeat: false };
  }
  // Form is judged after concurrency and before capacity.
  if (admission.outcome === 'no-seat' && !parsed.ok) throw parsed.error;
  if (admission.outcome === 'no-slot' || admission.outcome === 'no-seat') {
    return { place: from(admission.ticket), refusal: refusal(admission), forSeat: false };
  }
  if (admission.outcome !== 'admitted') throw refusal(admission);
  if (!parsed.ok) throw parsed.error;
  if (!starting) throw new ApiError('internal');

  // Not before: most creates of a client in a hurry end here, and a timer each would outlive them.
  const leftMs = Math.max(0, Math.ceil(startedAt + gateway.createTimeoutMs - performance.now()));
  using bounds = within(leftMs, hangUp, gateway.stopping.creating);
  const { signal } = bounds;
  const own = from(admission.ticket);
  const stepOut = async () => {
    if (waits) await giveBack(gateway, starting.id, gateway.line.leave(own));
  };
  let session: SessionRow;
  try {
    session = await start(gateway, starting, { params: parsed.value.params, claim }, signal, span);
  } catch (error) {
    if (error instanceof ApiError && error.spec === errors.capacity) {
      return { place: own, refusal: error, forSeat: true };
    }
    await stepOut();
    throw error;
  }
  await stepOut();
  // A client that has hung up, or hangs up before it has its answer.
  if (hangUp.aborted) await abandonSession(gateway, session, claim);
  hangUp.addEventListener('abort', () => abandonSession(gateway, session, claim), { once: true });
  return { session, limit: admission.limit, remaining: admission.remaining };
}

/** From the slot to ACTIVE. What was taken is given back in reverse if a step fails. */
async function start(
  gateway: Gateway,
  starting: StartingSession,
  { params, claim }: { params: CreateParams; claim: Claim | undefined },
  signal: AbortSignal,
  span: Span,
): Promise<SessionRow> {
  const { proxy, browser, lifetimeSeconds, idleSeconds, metadata, region, profile } = params;
  const { createTimeoutMs } = gateway;
  const deadlineAt = gateway.now() + createTimeoutMs;
  let ids: SessionIds = starting;
  await using undo = new AsyncDisposableStack();
  undo.defer(() => giveBack(gateway, ids.id, releaseSession(gateway.db, ids.id)));
  try {
    const asked = {
      proxy: await span.step('resolve proxy', () => checkedProxy(gateway, proxy, signal)),
      params: browser,
      lifetimeMs: lifetimeSeconds * 1000,
      timeoutMs: createTimeoutMs,
      ...(idleSeconds === undefined ? {} : { idleMs: idleSeconds * 1000 }),
      ...(profile && { profile: await profileRequest(gateway, starting.account_id, profile) }),
    };
    const request = () => ({
      ...asked,
      sessionId: ids.id,
      cdpId: ids.cdp_id,
      viewerToken: ids.viewer_token,
    });
    const renew = async () => {
      const next = newIds();
      if (!(await renameStarting(gateway.db, ids.id, next, claim))) throw await whyGone(gateway, claim);
      ids = next;
      return request();
    };
    const placement = { request: request(), region, renew, deadlineAt };
    const { host, opened, ...placed } = await span.step('place', ({ traceparent }) =>
      placeBrowser(gateway, { ...placement, traceparent }, signal),
    );
    undo.defer(() => giveBack(gateway, ids.id, host.close(ids.id)));
    signal.throwIfAborted();
    const activation = {
      ...sessionTimes(gateway.now(), lifetimeSeconds),
      host: host.name,
      host_boot: placed.boot,
      host_url: host.publicUrl,
      viewer: opened.viewer ? 1 : 0,
      params: JSON.stringify({ ...describeParams(params), profile: opened.profile }),
      metadata: JSON.stringify({ ...metadata, turnpike: facts(host.name, placed.region, opened) }),
    };
    const session = await span.step('activate', () => activateSession(gateway.db, ids.id, activation));
    if (!session) throw await whyGone(gateway, claim);
    span.set({ 'turnpike.session.id': session.id, 'turnpike.host': host.name });
    undo.move();
    return session;
  } catch (error) {
    throw creationError(error);
  }
}

/** Its row is no more: it took too long and was reaped, or was closed by its Idempotency-Key. */
async function whyGone({ db }: Gateway, claim: Claim | undefined): Promise<ApiError> {
  const key = claim && (await findKey(db, claim));
  return key && key.closed_at !== null ? keyClosed() : tookTooLong();
}

function newIds(): SessionIds {
  return { id: newSessionId(), cdp_id: newCdpId(), viewer_token: newViewerToken() };
}

/** The gateway's own part of a session's metadata. */
function facts(host: string, region: string | null, { chromiumVersion, exit }: OpenedBrowser): object {
  return {
    host,
    region: region ?? undefined,
    chromiumVersion,
    exitIp: exit?.ip,
    exitCountry: exit?.country,
  };
}

/** What cannot be given back now is reaped at the create's deadline, so the first failure is the one to tell. */
async function giveBack(gateway: Gateway, sessionId: string, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    gateway.logger.warn({ err: error, sessionId }, 'a failed create could not be undone at once');
  }
}

type Attempted<T> = { ok: true; value: T } | { ok: false; error: unknown };

function attempt<T>(work: () => T): Attempted<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, error };
  }
}

function startingSession(gateway: Gateway, account: AccountRow, params: CreateParams): StartingSession {
  const now = gateway.now();
  return {
    ...newIds(),
    account_id: account.id,
    state: 'STARTING',
    deadline_at: now + gateway.createTimeoutMs + reapGraceMs,
    ...sessionTimes(now, params.lifetimeSeconds),
    lifetime_seconds: params.lifetimeSeconds,
    params: JSON.stringify(describeParams(params)),
    metadata: '{}',
    profile_name: params.profile?.name ?? null,
    saves_profile: params.profile?.save ? 1 : 0,
    ...meteredAs(gateway.products, params.proxy),
  };
}

async function checkedProxy(gateway: Gateway, proxy: ProxyUrl, signal: AbortSignal): Promise<UpstreamProxy> {
  const resolution = await gateway.proxyGuard.resolve(proxy.host, signal);
  if (resolution.ok) return { ...proxy, addresses: resolution.addresses };
  if (resolution.reason === 'not-allowed')
    throw new ApiError('proxyInvalid', { detail: 'address not allowed', field: 'proxy' });
  return { ...proxy, addresses: [] };
}
