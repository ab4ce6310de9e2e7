import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import type { AddressGuard } from '@turnpike/process/address-guard';
import { urlHost } from '@turnpike/process/url-host';
import { DiallingAgent } from '@turnpike/tunnel/dialling-agent';
import { endToEnd } from '@turnpike/tunnel/hop-headers';
import type { Target } from '@turnpike/tunnel/target';
import { Refusal } from './refusal.ts';
import { asRefusal, checkTarget, dialTimeoutMs, httpUrl } from './route.ts';

/** Straight to the target, at an address that was checked. */
export class DirectRoute {
  readonly #guard: AddressGuard;
  readonly #agent: http.Agent;

  constructor(guard: AddressGuard) {
    this.#guard = guard;
    this.#agent = new DiallingAgent((target) => this.tunnel(target));
  }

  async tunnel({ host, port }: Target): Promise<Socket> {
    const signal = AbortSignal.timeout(dialTimeoutMs);
    const addresses = await checkTarget(this.#guard, host, signal);
    let failure: unknown = new Refusal(502, `${host} does not resolve`);
    for (const address of addresses) {
      const socket = net.connect({ host: address, port, noDelay: true, allowHalfOpen: true });
      try {
        await once(socket, 'connect', { signal });
        return socket;
      } catch (error) {
        socket.destroy();
        failure = error;
      }
    }
    throw asRefusal(failure);
  }

  async carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = httpUrl(request);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = http.request(
        {
          agent: this.#agent,
          host: urlHost(url),
          port: url.port || 80,
          path: url.pathname + url.search,
          method: request.method,
          headers: endToEnd(request.rawHeaders),
          setHost: false,
          insecureHTTPParser: true,
        },
        resolve,
      );
      outgoing.on('error', reject);
      request.once('close', () => request.complete || outgoing.destroy());
      request.pipe(outgoing);
    }).catch((error) => Promise.reject(asRefusal(error)));
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    answer.on('error', () => response.destroy());
    response.once('close', () => answer.destroy());
    answer.pipe(response);
  }

  close(): void {
    this.#agent.destroy();
  }
}
