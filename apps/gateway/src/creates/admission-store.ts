import { type RawBuilder, sql, type Transaction } from 'kysely';
import { runningIdentities, snapshotIdentity } from '../limits/identity-store.ts';
import { hasWriter } from '../limits/profile-writer-store.ts';
import { recordAttempt, windowMs } from '../limits/rate-window-store.ts';
import type { ChosenProxy } from '../seams/session-proxies.ts';
import type { SnapshotChoice } from '../seams/session-snapshots.ts';
import { findSessionById } from '../sessions/session-store.ts';
import type { Database } from '../store/database.ts';
import { isPostgres } from '../store/engine.ts';
import { preparedQuery } from '../store/prepared-query.ts';
import { serializedByKey } from '../store/serialized-by-key.ts';
import { isRunning } from '../store/session-states.ts';
import type { Tables } from '../store/tables.ts';
import type { Claim } from './idempotency.ts';
import { claimKey, findKey } from './idempotency-store.ts';
import type { StartingSession } from './starting-session-store.ts';
import { enqueue } from './wait-queue-store.ts';

export type Admission =
  | {
      outcome: 'admitted';
      remaining: number | null;
      limit: number | null;
      ticket: number;
      /** Of a create that names its proxy. */
      choice?: CreateChoice;
    }
  | { outcome: 'repeated'; claim: Claim; sessionId: string; ticket: number }
  | { outcome: 'other-params' }
  /** Its key was closed before there was a session. */
  | { outcome: 'closed' }
  | { outcome: 'suspended' }
  | { outcome: 'rate-limited'; limit: number }
  | { outcome: 'cap-reached' }
  | { outcome: 'profile-in-use' }
  | { outcome: 'no-snapshot' }
  /** Another session of the snapshot's identity runs. */
  | { outcome: 'identity-in-use' }
  | { outcome: 'no-proxy'; error: unknown }
  | { outcome: 'no-slot'; limit: number; taken: number; ticket: number }
  /** Other creates of the account wait for a seat already. */
  | { outcome: 'no-seat'; ticket: number };

export interface AdmissionRequest {
  accountId: string;
  now: number;
  /** The row that takes the slot. A request whose parameters are wrong has none. */
  session: StartingSession | undefined;
  /** Chooses the proxy of a create that names one. What is wrong with it is a value: the request counts all the same. */
  chooseProxy?: ((trx: Transaction<Tables>) => Promise<ProxyOfCreate>) | undefined;
  /** The snapshot that it begins with. */
  snapshot?: SnapshotChoice | undefined;
  /** The claim of its Idempotency-Key, if it has one. */
  claim?: Claim | undefined;
  /** For a request that waited and tries again: the number that it got when it was counted. */
  counted?: number | undefined;
  /** The gateway that will keep it in the queue, if it will wait. */
  waitsAt?: string | undefined;
}

/** The proxies that were chosen for a create. */
export interface CreateChoice {
  /** Undefined if the create has a URL. */
  own: ChosenProxy | undefined;
  /** One for each rule of the create. Undefined: the rule has a URL. */
  rules: readonly (ChosenProxy | undefined)[];
}

/** What was chosen, and what the create's row says of it. */
export type ProxyOfCreate =
  | { ok: true; choice: CreateChoice; columns: Partial<StartingSession> }
  | { ok: false; error: unknown };

/** How often admission is tried without the lock before it takes the lock. */
const maxTries = 3;

/**
 * Decides whether a create is admitted, in the order of the contract: rate window, hours, concurrency. The request
 * counts in the window whatever the decision is.
 */
export function admitCreate(db: Database, request: AdmissionRequest): Promise<Admission> {
  return serializedByKey(db, request.accountId, () => admit(db, request));
}

async function admit(db: Database, request: AdmissionRequest): Promise<Admission> {
  for (let tries = isPostgres(db) && isPlain(request) ? maxTries : 0; tries > 0; tries--) {
    const admission = await admitAtOnce(db, request);
    if (admission) return admission;
  }
  return admitUnderLock(db, request);
}

/** The facts about an account that decide a request, and the decision. */
interface Decision {
  outcome: 'suspended' | 'rate-limited' | 'cap-reached' | 'no-slot' | 'no-seat' | 'admitted';
  /** The request's number among the account's requests, and its ticket in the queue. */
  seq: number;
  ticket: number;
  rate: number;
  limit: number | null;
  taken: number;
}

/**
 * Builds the query that decides. A request is one too many if the request `rate` requests before it is inside the
 * window. Free slots belong to those who were in the queue before.
 */
function decisionQuery(
  accountId: string,
  now: number,
  { seq, ticket = seq, isCounted = false, version = sql`0` }: DecisionOptions,
): RawBuilder<Decision> {
  const at = sql`cast(${now} as bigint)`;
  // A time further ahead than the window was written before a clock was set back, and is ignored.
  const inWindow = sql`oldest > ${at} - ${sql.lit(windowMs)} and oldest <= ${at} + ${sql.lit(windowMs)}`;
  const tooMany = isCounted ? sql`1 = 0` : inWindow;
  const ahead = sql`select count(*) from waiting where account_id = a.id and ticket < ${ticket} and alive_until > ${at}`;
  return sql`
    select id, seq, ticket, rate, max_slots as "limit", taken, version, case
      when status <> 'active' then 'suspended'
      when ${tooMany} then 'rate-limited'
      when browser_seconds >= cap then 'cap-reached'
      when taken + ahead >= max_slots then 'no-slot'
      when seat_ahead > 0 then 'no-seat'
      else 'admitted' end as outcome
    from (
      select a.id, a.status, ${seq} as seq, ${ticket} as ticket, ${version} as version,
        a.creates_per_minute as rate, a.concurrent_limit as max_slots,
        a.browser_seconds, a.browser_seconds_cap as cap,
        (select at from create_attempts where account_id = a.id and seq = ${seq} - a.creates_per_minute) as oldest,
        (select count(*) from sessions where account_id = a.id and ${isRunning}) as taken,
        (${ahead} and phase in ('slot', 'seat')) as ahead,
        (${ahead} and phase = 'seat') as seat_ahead
      from accounts as a where a.id = ${accountId}
    ) as facts`;
}

interface DecisionOptions {
  seq: RawBuilder<number>;
  ticket?: RawBuilder<number>;
  /** It was counted in the window when it came first. */
  isCounted?: boolean;
  version?: RawBuilder<unknown>;
}

function admission({ outcome, ticket, rate, limit, taken }: Decision): Admission {
  switch (outcome) {
    case 'rate-limited':
      return { outcome, limit: rate };
    case 'no-slot':
      return { outcome, limit: limit ?? 0, taken, ticket };
    case 'no-seat':
      return { outcome, ticket };
    case 'admitted':
      return { outcome, limit, remaining: limit === null ? null : limit - taken - 1, ticket };
    default:
      return { outcome };
  }
}

/** Tells whether a create needs nothing beyond what every create needs. */
const isPlain = ({ claim, counted, waitsAt, session, chooseProxy, snapshot }: AdmissionRequest): boolean =>
  snapshot === undefined &&
  chooseProxy === undefined &&
  claim === undefined &&
  counted === undefined &&
  waitsAt === undefined &&
  !session?.saves_profile;

/**
 * Admits in one PostgreSQL statement. The statement sees the store as of its start, so it changes nothing (and returns
 * no row) unless the account's row still has the version that it saw. Whoever takes a slot or counts a request writes
 * that row.
 */
const atOnce = preparedQuery<Decision>((_db, parameter) => {
  const [accountId, now, ...values] = Array.from({ length: 2 + startingColumns.length }, (_, i) =>
    parameter(i),
  );
  const session = startingColumns.map(([, type], i) => sql`cast(${values[i]} as ${sql.raw(type)})`);
  const decision = decisionQuery(accountId as never, now as never, {
    seq: sql`a.create_seq + 1`,
    version: sql`a.xmin`,
  });
  return sql`
    with decision as materialized (${decision}),
    counted as (
      update accounts as a set create_seq = a.create_seq + 1 from decision
      where a.id = decision.id and a.xmin = decision.version and decision.outcome <> 'suspended'
      returning decision.*
    ),
    reused as (
      update create_attempts as t set seq = c.seq, at = cast(${now} as bigint) from counted as c
      where t.account_id = c.id and t.seq = c.seq - c.rate returning t.seq
    ),
    added as (
      insert into create_attempts (account_id, seq, at) select id, seq, cast(${now} as bigint) from counted
      where not exists (select from reused)
    ),
    started as (
      insert into sessions (${sql.join(startingColumns.map(([name]) => sql.ref(name)))})
      select ${sql.join(session)} from counted where outcome = 'admitted' and ${session[0]} is not null
    )
    select * from counted`;
});

const startingColumns = [
  ['id', 'text'],
  ['account_id', 'text'],
  ['cdp_id', 'text'],
  ['viewer_token', 'text'],
  ['state', 'text'],
  ['deadline_at', 'bigint'],
  ['created_at', 'bigint'],
  ['expires_at', 'bigint'],
  ['readable_until', 'bigint'],
  ['lifetime_seconds', 'bigint'],
  ['params', 'text'],
  ['metadata', 'text'],
  ['metered_product', 'text'],
  ['metered_country', 'text'],
  ['profile_name', 'text'],
] as const satisfies readonly (readonly [keyof StartingSession, 'text' | 'bigint'])[];

/** Returns undefined if the account was written to meanwhile, so nothing was decided. */
async function admitAtOnce(
  db: Database,
  { accountId, now, session }: AdmissionRequest,
): Promise<Admission | undefined> {
  const values = startingColumns.map(([name]) => session?.[name] ?? null);
  const [decision] = await atOnce(db, accountId, now, ...values);
  return decision && admission(decision);
}

/** Admits under the account's row lock. A repeat takes no slot, so it is found before hours and concurrency count. */
function admitUnderLock(db: Database, request: AdmissionRequest): Promise<Admission> {
  return db.transaction().execute(async (trx) => {
    const { accountId, now, counted, waitsAt, session } = request;
    const isCounted = counted !== undefined;
    // A write first: it takes the account's row lock in PostgreSQL, and the write lock in SQLite.
    await trx
      .updateTable('accounts')
      .set((e) => ({ create_seq: e('create_seq', '+', isCounted ? 0 : 1) }))
      .where('id', '=', accountId)
      .execute();
    const seq = sql<number>`a.create_seq`;
    const ticket = isCounted ? sql<number>`cast(${counted} as bigint)` : seq;
    const { rows } = await decisionQuery(accountId, now, { seq, ticket, isCounted }).execute(trx);
    const decision = rows[0] as Decision;
    const { outcome } = decision;
    if (outcome === 'suspended') return admission(decision);
    if (!isCounted) await recordAttempt(trx, 'create_attempts', { accountId, now, ...decision });
    if (outcome === 'rate-limited') return admission(decision);
    const repeated = await findRepeated(trx, request, decision.ticket);
    if (repeated) return repeated;
    if (outcome === 'cap-reached') return admission(decision);
    const isFree = outcome === 'admitted';
    // Before it enters the queue: creates do not wait for a profile.
    if (isFree && (await isProfileInUse(trx, request))) return { outcome: 'profile-in-use' };
    const identity = isFree ? await identityOf(trx, request) : undefined;
    if (identity && 'outcome' in identity) return identity;
    const chosen = isFree && session ? await request.chooseProxy?.(trx) : undefined;
    if (chosen && !chosen.ok) return { outcome: 'no-proxy', error: chosen.error };
    if (waitsAt !== undefined) {
      const entry = { accountId, ticket: decision.ticket, gateway: waitsAt };
      await enqueue(trx, entry, isFree ? 'starting' : 'slot', now);
    }
    if (!isFree || !session) return admission(decision);
    await trx
      .insertInto('sessions')
      .values({ ...session, ...chosen?.columns, ...identity })
      .execute();
    return { ...admission(decision), ...(chosen && { choice: chosen.choice }) };
  });
}

/** A profile has at most one session at a time that will save it. */
async function isProfileInUse(trx: Transaction<Tables>, { accountId, session }: AdmissionRequest) {
  if (!session?.saves_profile || !session.profile_name) return false;
  return hasWriter(trx, 'profile', accountId, session.profile_name);
}

/** The identity of a session that begins with a snapshot. There is one at a time, unless it is a fork. */
async function identityOf(
  trx: Transaction<Tables>,
  { accountId, snapshot, now }: AdmissionRequest,
): Promise<
  { identity: string } | Extract<Admission, { outcome: 'no-snapshot' | 'identity-in-use' }> | undefined
> {
  if (!snapshot) return undefined;
  const identity = await snapshotIdentity(trx, { accountId, id: snapshot.id, now });
  if (identity === undefined) return { outcome: 'no-snapshot' };
  if (!snapshot.fork && (await runningIdentities(trx, accountId)).has(identity))
    return { outcome: 'identity-in-use' };
  return { identity };
}

async function hasSession(trx: Transaction<Tables>, id: string): Promise<boolean> {
  return id !== '' && (await findSessionById(trx, id)) !== undefined;
}

async function findRepeated(
  trx: Transaction<Tables>,
  { claim, session, now }: AdmissionRequest,
  ticket: number,
): Promise<Admission | undefined> {
  if (!claim || !session) return undefined;
  for (;;) {
    if (await claimKey(trx, claim, session.id, now)) return undefined;
    const key = await findKey(trx, claim);
    // It may have been freed since.
    if (!key) continue;
    if (key.closed_at !== null && !(await hasSession(trx, key.session_id))) return { outcome: 'closed' };
    if (key.params_hash !== claim.paramsHash) return { outcome: 'other-params' };
    return { outcome: 'repeated', claim, sessionId: key.session_id, ticket };
  }
}
