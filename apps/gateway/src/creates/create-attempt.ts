import { errors } from '@turnpike/contract/errors';
import type { Span } from '@turnpike/process/observation/trace';
import { within } from '@turnpike/process/within';
import { ApiError } from '../http/api-error.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import { abandonSession } from './abandon-session.ts';
import { type Admission, admitCreate, type CreateChoice } from './admission-store.ts';
import type { CreateContext } from './create-context.ts';
import { refusal } from './create-errors.ts';
import type { ParsedCreate } from './parameters/parse-create.ts';
import { firstChoice } from './proxies/choose-proxy.ts';
import type { OpenedSession } from './reconnect-session.ts';
import { repeatSession } from './repeat-session.ts';
import { releaseOrLog, startSession } from './start-session.ts';
import { startingSession } from './starting-session.ts';
import type { StartingSession } from './starting-session-store.ts';
import type { QueueEntry } from './wait-queue-store.ts';

/** A create, and who sent it. */
export interface Create {
  account: AccountRow;
  parsed: ParsedCreate;
  /** Aborts when the client disconnects. */
  disconnected: AbortSignal;
  span: Span;
}

interface Attempt {
  /** Where it stands in the queue; undefined if this is the first attempt. */
  entry: QueueEntry | undefined;
  /** Whether it will wait if it is refused. */
  mayWait: boolean;
  /** By `performance.now()`: how long it waits for other creates with its key, however many of them fail. */
  repeatUntil: number;
}

type AttemptOutcome =
  | { kind: 'opened'; opened: OpenedSession }
  /** The create that it repeated came to nothing, so it is tried again at once. */
  | { kind: 'retry'; entry: QueueEntry }
  /** There is no slot or no seat; it may be tried again when there is. */
  | { kind: 'refused'; entry: QueueEntry; refusal: ApiError; forSeat: boolean };

/** Makes one attempt: admission takes a slot, then a browser is started in it. */
export async function attemptCreate(
  context: CreateContext,
  create: Create,
  attempt: Attempt,
): Promise<AttemptOutcome> {
  const { parsed, account } = create;
  const startedAt = performance.now();
  const starting = parsed.ok ? startingSession(context, account, parsed) : undefined;
  const admission = await admit(context, create, starting, attempt);
  const entryOf = (ticket: number): QueueEntry => ({
    accountId: account.id,
    ticket,
    gateway: context.queue.gatewayId,
  });
  if (admission.outcome === 'repeated') {
    const opened = await repeat(context, create, admission, attempt.repeatUntil);
    return opened ? { kind: 'opened', opened } : { kind: 'retry', entry: entryOf(admission.ticket) };
  }
  const { outcome } = admission;
  if (!parsed.ok && parsed.isUnreadable && outcome !== 'rate-limited' && outcome !== 'suspended')
    throw parsed.error;
  // Parameters are judged after concurrency and before capacity.
  if (admission.outcome === 'no-seat' && !parsed.ok) throw parsed.error;
  if (admission.outcome === 'no-slot' || admission.outcome === 'no-seat') {
    const entry = entryOf(admission.ticket);
    return { kind: 'refused', entry, refusal: refusal(admission), forSeat: false };
  }
  if (admission.outcome === 'no-proxy') throw admission.error;
  if (admission.outcome !== 'admitted') throw refusal(admission);
  if (!parsed.ok) throw parsed.error;
  if (!starting) throw new ApiError('internal');

  const entry = entryOf(admission.ticket);
  const deadline = startedAt + context.createTimeoutMs;
  const started = await start(context, create, {
    starting,
    choice: admission.choice,
    parsed,
    entry,
    deadline,
    mayWait: attempt.mayWait,
  });
  if (started instanceof ApiError) return { kind: 'refused', entry, refusal: started, forSeat: true };
  const { limit, remaining } = admission;
  return { kind: 'opened', opened: { session: started, limit, remaining } };
}

function admit(
  context: CreateContext,
  { account, parsed, span }: Create,
  session: StartingSession | undefined,
  { entry, mayWait }: Attempt,
): Promise<Admission> {
  return span.step('admit', async (step) => {
    const decision = await admitCreate(context.db, {
      accountId: account.id,
      now: context.now(),
      session,
      chooseProxy: parsed.ok && session ? firstChoice(context, session, parsed.params) : undefined,
      snapshot: parsed.ok ? parsed.params.snapshot : undefined,
      claim: parsed.ok ? parsed.claim : undefined,
      counted: entry?.ticket,
      waitsAt: mayWait ? context.queue.gatewayId : undefined,
    });
    step.set({ 'turnpike.admission': decision.outcome });
    return decision;
  });
}

/** Answers with the session of the create that has the same Idempotency-Key; undefined if that one came to nothing. */
async function repeat(
  context: CreateContext,
  { account, disconnected }: Create,
  admission: Extract<Admission, { outcome: 'repeated' }>,
  repeatUntil: number,
): Promise<OpenedSession | undefined> {
  const leftMs = Math.max(0, Math.ceil(repeatUntil - performance.now()));
  using bounds = within(leftMs, disconnected, context.stopping.creating);
  return await repeatSession(context, account, admission, bounds.signal);
}

interface Start {
  starting: StartingSession;
  choice: CreateChoice | undefined;
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
  { starting, choice, parsed, entry, mayWait, deadline }: Start,
): Promise<SessionRow | ApiError> {
  // A timer only now: most creates of a client in a hurry are refused before, and their timers would outlive them.
  const leftMs = Math.max(0, Math.ceil(deadline - performance.now()));
  using bounds = within(leftMs, disconnected, context.stopping.creating);
  const leaveQueue = async () => {
    if (mayWait) await releaseOrLog(context, starting.id, context.queue.leave(entry));
  };
  let session: SessionRow;
  try {
    session = await startSession(context, { starting, choice, create: parsed }, bounds.signal, span);
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
