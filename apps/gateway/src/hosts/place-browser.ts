import { UnreachableError } from '@turnpike/cluster/private-client';
import { HostError, type HostErrorCode, type OpenRequest } from '@turnpike/contract/host';
import { abilitiesAskedFor } from '@turnpike/contract/host/host-abilities';
import { within } from '@turnpike/process/within';
import { NoAbleHostError, type Placement, type PlacementRequest } from '../seams/browser-hosts.ts';
import type { HostContext } from './host-context.ts';
import { type Candidate, placementOrder, unableFor } from './placement.ts';

/** A browser that fails to start on this many hosts will fail on others too. */
const maxFailures = 3;

/** Opens a browser on the best host that accepts it. Rejects with NO_SEAT when none does, or says what none can do. */
export async function placeBrowser(
  context: Omit<HostContext, 'reports' | 'recordingSink' | 'resolveProxy'>,
  { request, region, renew, deadlineAt, traceparent }: PlacementRequest,
  signal: AbortSignal,
): Promise<Placement> {
  const candidates = await context.hosts.candidates();
  const filter = { region, asked: abilitiesAskedFor(request), now: context.now() };
  const unable = unableFor(candidates, filter);
  if (unable.length > 0) throw new NoAbleHostError(unable);
  const order = placementOrder(candidates, filter);
  let current: OpenRequest | undefined = request;
  let failures = 0;
  const noSeat = new HostError('NO_SEAT', 'no host has a free seat');
  let failure: unknown = noSeat;
  for (const [index, candidate] of order.entries()) {
    const leftMs = Math.max(1, deadlineAt - context.now());
    // A host that does not answer leaves half of the time to the next one.
    const timeoutMs = index === order.length - 1 ? leftMs : Math.ceil(leftMs / 2);
    current ??= await renew();
    try {
      return await attempt(candidate, { ...current, timeoutMs, ...(traceparent && { traceparent }) }, signal);
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      if (isNoSeat(error)) continue;
      context.logger.warn(
        { err: error, host: candidate.host.name, sessionId: current.sessionId },
        'a host failed to open a browser',
      );
      failure = error;
      failures += 1;
      if (failures === maxFailures) break;
      current = undefined;
    }
  }
  // Hosts that are stopping or starting: the client should retry in a moment.
  throw failure instanceof UnreachableError ? noSeat : failure;
}

async function attempt(candidate: Candidate, request: OpenRequest, signal: AbortSignal): Promise<Placement> {
  const { host, boot, region } = candidate;
  candidate.used += 1; // Until the host's next heartbeat, so that a burst spreads over the hosts.
  using bounds = within(request.timeoutMs, signal);
  try {
    const opened = await host.open(request, bounds.signal);
    return { host, boot, region, opened };
  } catch (error) {
    // The browser may be open all the same. If this close fails too, the answer to the host's next heartbeat ends it.
    if (error instanceof UnreachableError) void host.close(request.sessionId).catch(() => {});
    throw error;
  }
}

const isNoSeat = (error: unknown) => error instanceof HostError && error.code === 'NO_SEAT';
/** Other hosts would answer the same. */
const finalCodes: ReadonlySet<HostErrorCode> = new Set([
  'PROXY_UNREACHABLE',
  'NO_FILTER_LIST',
  'EXTENSION_FAILED',
  'DEVICE_UNKNOWN',
]);
const isFinal = (error: unknown) => error instanceof HostError && finalCodes.has(error.code);
