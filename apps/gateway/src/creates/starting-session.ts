import { meteredAs } from '../ledger/metering.ts';
import { isNamed } from '../seams/session-proxies.ts';
import { newSessionIds } from '../secrets/new-ids.ts';
import { sessionTimes } from '../sessions/session.ts';
import type { AccountRow } from '../store/tables.ts';
import type { CreateContext } from './create-context.ts';
import type { SentParams } from './parameters/create-params.ts';
import type { StartingSession } from './starting-session-store.ts';

/** How long after a create's own time limit its row is reaped. */
const reapGraceMs = 5000;

/** Builds the row of a create in progress, which holds its slot. */
export function startingSession(
  { now, createTimeoutMs, products }: Pick<CreateContext, 'now' | 'createTimeoutMs' | 'products'>,
  account: AccountRow,
  { params, described }: SentParams,
): StartingSession {
  const startedAt = now();
  return {
    ...newSessionIds(),
    account_id: account.id,
    state: 'STARTING',
    deadline_at: startedAt + createTimeoutMs + reapGraceMs,
    ...sessionTimes(startedAt, params.lifetimeSeconds),
    lifetime_seconds: params.lifetimeSeconds,
    params: JSON.stringify(described),
    metadata: '{}',
    profile_name: params.profile?.name ?? null,
    saves_profile: params.profile?.save ? 1 : 0,
    ...(isNamed(params.proxy) ? {} : meteredAs(products, params.proxy)),
  };
}
