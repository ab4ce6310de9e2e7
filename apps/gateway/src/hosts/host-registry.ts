import { type BrowserHost, HostError, type OpenedBrowser, type OpenRequest } from '@turnpike/contract/host';

/** A host that this gateway can call. `boot` tells one run of a host from the next. */
export interface JoinedHost {
  host: BrowserHost;
  boot: string;
}

export interface Placement {
  joined: JoinedHost;
  opened: OpenedBrowser;
}

export class HostRegistry {
  readonly #hosts = new Map<string, JoinedHost>();
  #draining = false;

  join(joined: JoinedHost): void {
    this.#hosts.set(joined.host.name, joined);
  }

  all(): JoinedHost[] {
    return [...this.#hosts.values()];
  }

  /** Undefined: this gateway cannot reach that run of the host. */
  find(name: string | null, boot: string | null): JoinedHost | undefined {
    const joined = name === null ? undefined : this.#hosts.get(name);
    return joined?.boot === boot ? joined : undefined;
  }

  /** From now on no browser is placed. */
  drain(): void {
    this.#draining = true;
  }

  /** Opens the browser on a host with a free seat; rejects with NO_SEAT when there is none. */
  async place(request: OpenRequest, signal: AbortSignal): Promise<Placement> {
    for (const joined of this.#draining ? [] : this.all()) {
      try {
        return { joined, opened: await joined.host.open(request, signal) };
      } catch (error) {
        if (!(error instanceof HostError && error.code === 'NO_SEAT')) throw error;
      }
    }
    throw new HostError('NO_SEAT', 'no host has a free seat');
  }
}
