import { type BrowserHost, HostError, type OpenedBrowser, type OpenRequest } from '@turnpike/contract/host';
import { UnreachableError } from '@turnpike/process/cluster/private-client';
import { within } from '@turnpike/process/within';
import type { Gateway } from '../gateway.ts';
import { type Candidate, placementOrder } from './placement.ts';

export interface Placement {
  host: BrowserHost;
  boot: string;
  region: string | null;
  sessionId: string;
  opened: OpenedBrowser;
}

export interface PlacementRequest {
  /** The first attempt. */
  request: OpenRequest;
  region: string | undefined;
  /**
   * What the next attempt asks for, under ids of its own: whatever an earlier one still starts, no session has its
   * name.
   */
  renew(): Promise<OpenRequest>;
  deadlineAt: number;
  /** Of the trace that the create is part of. */
  traceparent?: string | undefined;
}

/** Browsers that fail to start on this many hosts will on others too. */
const maxFailures = 3;

/** Opens the browser on the best host that does it; rejects with NO_SEAT when there is none. */
export async function placeBrowser(
  gateway: Gateway,
  { request, region, renew, deadlineAt, traceparent }: PlacementRequest,
  signal: AbortSignal,
): Promise<Placement> {
  const order = placementOrder(await gateway.hosts.candidates(), { region, now: gateway.now() });
  let current: OpenRequest | undefined = request;
  let failures = 0;
  const noSeat = new HostError('NO_SEAT', 'no host has a free seat');
  let failure: unknown = noSeat;
  for (const [index, candidate] of order.entries()) {
    const leftMs = Math.max(1, deadlineAt - gateway.now());
    // A host that does not answer leaves the next one as much time as it took.
    const timeoutMs = index === order.length - 1 ? leftMs : Math.ceil(leftMs / 2);
    current ??= await renew();
    try {
      return await attempt(candidate, { ...current, timeoutMs, ...(traceparent && { traceparent }) }, signal);
    } catch (error) {
      if (signal.aborted || isProxyFailure(error)) throw error;
      if (isNoSeat(error)) continue;
      gateway.logger.warn(
        { err: error, host: candidate.host.name, sessionId: current.sessionId },
        'a host did not open a browser',
      );
      failure = error;
      failures += 1;
      if (failures === maxFailures) break;
      current = undefined;
    }
  }
  // Hosts that are on their way out, or in, mean: try again in a moment.
  throw failure instanceof UnreachableError ? noSeat : failure;
}

async function attempt(candidate: Candidate, request: OpenRequest, signal: AbortSignal): Promise<Placement> {
  const { host, boot, region } = candidate;
  candidate.used += 1; // Until the host's next word, so that a burst spreads.
  using bounds = within(request.timeoutMs, signal);
  try {
    const opened = await host.open(request, bounds.signal);
    return { host, boot, region, sessionId: request.sessionId, opened };
  } catch (error) {
    // Nobody knows what it has done. If it cannot be told either, its heartbeat will be.
    if (error instanceof UnreachableError) void host.close(request.sessionId).catch(() => {});
    throw error;
  }
}

const isNoSeat = (error: unknown) => error instanceof HostError && error.code === 'NO_SEAT';
const isProxyFailure = (error: unknown) => error instanceof HostError && error.code === 'PROXY_UNREACHABLE';
