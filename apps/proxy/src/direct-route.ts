import type { AddressGuard } from '@turnpike/process/address-guard';
import { Connection } from '@turnpike/process/connection';
import { connectSocket } from '@turnpike/process/outgoing-socket';
import { connected } from '@turnpike/process/owned-socket';
import { urlHost } from '@turnpike/process/url-host';
import { within } from '@turnpike/process/within';
import type { PlainRoute } from '@turnpike/tunnel/plain-exchange';
import { formatTarget, type Target } from '@turnpike/tunnel/target';
import { asRefusal, checkTarget, dialTimeoutMs } from './route.ts';

/** Connects directly to the target, at an address that was checked. */
export class DirectRoute {
  readonly #guard: AddressGuard;

  constructor(guard: AddressGuard) {
    this.#guard = guard;
  }

  async tunnel({ host, port }: Target): Promise<Connection> {
    using bounds = within(dialTimeoutMs);
    const { signal } = bounds;
    const addresses = await checkTarget(this.#guard, host, signal);
    let failure: unknown;
    for (const address of addresses) {
      const socket = connectSocket({ host: address, port });
      try {
        return new Connection(await connected(socket, signal));
      } catch (error) {
        failure = error;
      }
    }
    throw asRefusal(failure);
  }

  async plain(url: URL): Promise<PlainRoute> {
    const target = { host: urlHost(url), port: Number(url.port) || 80 };
    const key = `direct ${formatTarget(target)}`;
    return {
      ...{ key, sharedKey: key },
      target: url.pathname + url.search,
      host: url.host,
      headers: [],
      isProxy: false,
      open: () => this.tunnel(target),
    };
  }
}
