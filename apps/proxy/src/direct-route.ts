import { within } from '@turnpike/process/within';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';
import type { PlainRoute } from '@turnpike/tunnel/plain-exchange';
import { Connection } from '@turnpike/tunnel/sockets/connection';
import { connectSocket } from '@turnpike/tunnel/sockets/outgoing-socket';
import { connected } from '@turnpike/tunnel/sockets/owned-socket';
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
      key,
      sharedKey: key,
      target: url.pathname + url.search,
      host: url.host,
      headers: [],
      isProxy: false,
      open: () => this.tunnel(target),
    };
  }
}
