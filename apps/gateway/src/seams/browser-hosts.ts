import type { BrowserHost, OpenedBrowser, OpenRequest } from '@turnpike/contract/host';

export interface PlacementRequest {
  /** What the first attempt asks for. */
  request: OpenRequest;
  region: string | undefined;
  /** Gives the next attempt ids of its own, so that a browser which an earlier attempt still starts is no session's. */
  renew(): Promise<OpenRequest>;
  deadlineAt: number;
  /** The trace that the create is part of. */
  traceparent?: string | undefined;
}

export interface Placement {
  host: BrowserHost;
  boot: string;
  region: string | null;
  opened: OpenedBrowser;
}

/** The hosts are of an earlier version, and would ignore these create parameters. */
export class NoAbleHostError extends Error {
  constructor(parameters: readonly string[]) {
    const names = parameters.map((name) => `\`${name}\``).join(', ');
    super(
      `No host can do ${names} yet: the hosts are of an earlier version. Try again when they are updated, or leave it out.`,
    );
    this.name = 'NoAbleHostError';
  }
}

/** Opens a browser on the best host that accepts it. Rejects with NO_SEAT when none does. */
export type PlaceBrowser = (request: PlacementRequest, signal: AbortSignal) => Promise<Placement>;

/** Finds one run of a host. Undefined if that run is over. Rejects when it may be alive but cannot be reached. */
export type FindHost = (name: string | null, boot: string | null) => Promise<BrowserHost | undefined>;
