import { errors } from '@turnpike/contract/errors';
import type { Span } from '@turnpike/process/trace';
import { within } from '@turnpike/process/within';
import { ApiError } from '../http/api-error.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import { abandonSession } from './abandon-session.ts';
import { type Admission, admitCreate } from './admission-store.ts';
import type { CreateContext } from './create-context.ts';
import { refusal } from './create-errors.ts';
import type { CreateParams } from './create-params.ts';
import type { Claim } from './idempotency.ts';
import type { OpenedSession } from './opened-session.ts';
import { repeatSession } from './repeat-session.ts';
import { releaseOrLog, startSession } from './start-session.ts';
import { startingSession } from './starting-session.ts';
import type { StartingSession } from './starting-session-store.ts';
import type { QueueEntry } from './wait-queue-store.ts';

/** A create, for as long as it is tried. */
export interface Create {
  account: AccountRow;
  parsed: ParsedCreate;
  /** Aborts when the client disconnects. */
  disconnected: AbortSignal;
  /** By `performance.now()`: how long it waits for other creates with its key, however many of them fail. */
  repeatUntil: number;
  span: Span;
}

/** Parameters that are wrong are refused after the limits are checked, in the order of the contract. */
export type ParsedCreate =
  | { ok: true; params: CreateParams; claim: Claim | undefined; waitSeconds: number }
  | { ok: false; error: unknown };

export interface QueueState {
  /** Where it stands in the queue; undefined: this is the first attempt. */
  entry: QueueEntry | undefined;
  /** Whether it will wait if it is refused. */
  mayWait: boolean;
}

export type AttemptOutcome =
  | { kind: 'opened'; opened: OpenedSession }
  /** The create that it repeated came to nothing, so it is tried again at once. */
  | { kind: 'retry'; entry: QueueEntry }
  /** There is no slot or no seat; it may be tried again when there is. */
  | { kind: 'refused'; entry: QueueEntry; refusal: ApiError; forSeat: boolean };

/** Makes one attempt: admission takes a slot, then a browser is started in it. */
export async function attemptCreate(
  context: CreateContext,
  create: Create,
  queueState: QueueState,
): Promise<AttemptOutcome> {
  const { parsed, account } = create;
  const startedAt = performance.now();
  const starting = parsed.ok ? startingSession(context, account, parsed.params) : undefined;
  const admission = await admit(context, create, starting, queueState);
  const entryOf = (ticket: number): QueueEntry => ({
    accountId: account.id,
    ticket,
    gateway: context.queue.gatewayId,
  });
  if (admission.outcome === 'repeated') return repeat(context, create, admission, entryOf(admission.ticket));
  // Parameters are judged after concurrency and before capacity.
  if (admission.outcome === 'no-seat' && !parsed.ok) throw parsed.error;
  if (admission.outcome === 'no-slot' || admission.outcome === 'no-seat') {
    const entry = entryOf(admission.ticket);
    return { kind: 'refused', entry, refusal: refusal(admission), forSeat: false };
  }
  if (admission.outcome !== 'admitted') throw refusal(admission);
  if (!parsed.ok) throw parsed.error;
  if (!starting) throw new ApiError('internal');

  const entry = entryOf(admission.ticket);
  const deadline = startedAt + context.createTimeoutMs;
  const started = await start(context, create, {
    starting,
    parsed,
    entry,
    deadline,
    mayWait: queueState.mayWait,
  });
  if (started instanceof ApiError) return { kind: 'refused', entry, refusal: started, forSeat: true };
  const { limit, remaining } = admission;
  return { kind: 'opened', opened: { session: started, limit, remaining } };
}

function admit(
  context: CreateContext,
  { account, parsed, span }: Create,
  session: StartingSession | undefined,
  { entry, mayWait }: QueueState,
): Promise<Admission> {
  return span.step('admit', async (step) => {
    const decision = await admitCreate(context.db, {
      accountId: account.id,
      now: context.now(),
      session,
      claim: parsed.ok ? parsed.claim : undefined,
      counted: entry?.ticket,
      waitsAt: mayWait ? context.queue.gatewayId : undefined,
    });
    step.set({ 'turnpike.admission': decision.outcome });
    return decision;
  });
}

/** Answers with the session of the create that has the same Idempotency-Key. */
async function repeat(
  context: CreateContext,
  { account, disconnected, repeatUntil }: Create,
  admission: Extract<Admission, { outcome: 'repeated' }>,
  entry: QueueEntry,
): Promise<AttemptOutcome> {
  const leftMs = Math.max(0, Math.ceil(repeatUntil - performance.now()));
  using bounds = within(leftMs, disconnected, context.stopping.creating);
  const opened = await repeatSession(context, account, admission, bounds.signal);
  return opened ? { kind: 'opened', opened } : { kind: 'retry', entry };
}

interface Start {
  starting: StartingSession;
  parsed: Extract<ParsedCreate, { ok: true }>;
  entry: QueueEntry;
  mayWait: boolean;
  /** By `performance.now()`. */
  deadline: number;
}

/** Starts the browser of a create that has a slot. Answers the refusal if no host has a seat. */
async function start(
  context: CreateContext,
  { disconnected, span }: Create,
  { starting, parsed, entry, mayWait, deadline }: Start,
): Promise<SessionRow | ApiError> {
  // A timer only now: most creates of a client in a hurry are refused before, and their timers would outlive them.
  const leftMs = Math.max(0, Math.ceil(deadline - performance.now()));
  using bounds = within(leftMs, disconnected, context.stopping.creating);
  const leaveQueue = async () => {
    if (mayWait) await releaseOrLog(context, starting.id, context.queue.leave(entry));
  };
  let session: SessionRow;
  try {
    session = await startSession(context, starting, parsed, bounds.signal, span);
  } catch (error) {
    if (error instanceof ApiError && error.spec === errors.capacity) return error;
    await leaveQueue();
    throw error;
  }
  await leaveQueue();
  // The client has disconnected, or disconnects before it gets the answer.
  if (disconnected.aborted) await abandonSession(context, session, parsed.claim);
  disconnected.addEventListener('abort', () => abandonSession(context, session, parsed.claim), {
    once: true,
  });
  return session;
}
