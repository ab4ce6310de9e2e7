import type { OpenedBrowser } from '@turnpike/contract/host';
import { newCdpId, newSessionId, newViewerToken } from '../secrets/new-ids.ts';
import { sessionTimes } from '../sessions/session.ts';
import type { AccountRow } from '../store/tables.ts';
import type { CreateContext } from './create-context.ts';
import { type CreateParams, describeParams } from './create-params.ts';
import { meteredAs } from './session-meter.ts';
import type { Activation, SessionIds, StartingSession } from './starting-session-store.ts';

/** How long after a create's own time limit its row is reaped. */
const reapGraceMs = 5000;

export function newIds(): SessionIds {
  return { id: newSessionId(), cdp_id: newCdpId(), viewer_token: newViewerToken() };
}

/** Builds the row of a create in progress, which holds its slot. */
export function startingSession(
  { now, createTimeoutMs, products }: Pick<CreateContext, 'now' | 'createTimeoutMs' | 'products'>,
  account: AccountRow,
  params: CreateParams,
): StartingSession {
  const startedAt = now();
  return {
    ...newIds(),
    account_id: account.id,
    state: 'STARTING',
    deadline_at: startedAt + createTimeoutMs + reapGraceMs,
    ...sessionTimes(startedAt, params.lifetimeSeconds),
    lifetime_seconds: params.lifetimeSeconds,
    params: JSON.stringify(describeParams(params)),
    metadata: '{}',
    profile_name: params.profile?.name ?? null,
    saves_profile: params.profile?.save ? 1 : 0,
    ...meteredAs(products, params.proxy),
  };
}

interface PlacedBrowser {
  host: { name: string; publicUrl: string };
  boot: string;
  region: string | null;
  opened: OpenedBrowser;
}

/** Builds what the row of a create gets when its browser is up. */
export function activationOf(
  params: CreateParams,
  { host, boot, region, opened }: PlacedBrowser,
  now: number,
): Activation {
  const { chromiumVersion, exit, profile, viewer } = opened;
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
    params: JSON.stringify({ ...describeParams(params), profile }),
    metadata: JSON.stringify({ ...params.metadata, turnpike }),
  };
}
