import { isUpstreamProxy } from '@turnpike/contract/host/open-request';
import type { ProxyQuestion, ResolvedProxy, ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import { sessionIdPattern } from '@turnpike/contract/ids';
import { within } from '@turnpike/process/within';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ClusterSettings } from './cluster-settings.ts';
import { PrivateClient } from './private-client.ts';

/** How a host asks a gateway about a proxy that a client names for a context. */

export const proxyCall = 'internal/proxies/resolve';
export const maxProxyCallBytes = 16 * 1024;

const question = Compile(
  Type.Object({
    sessionId: Type.String({ pattern: sessionIdPattern.source }),
    proxy: Type.String({ maxLength: 4096 }),
  }),
);
export const isProxyQuestion = (value: unknown): value is ProxyQuestion => question.Check(value);

const tryMs = 8000;

/** Asks the gateway that answered last, and the others when it fails. */
export class ClusterProxyResolver implements Disposable {
  readonly #client: PrivateClient;
  #urls: readonly string[];

  constructor(settings: ClusterSettings & { gatewayUrls: readonly string[] }) {
    this.#client = new PrivateClient(settings);
    this.#urls = settings.gatewayUrls;
  }

  readonly resolveProxy: ResolveProxy = async (asked, signal) => {
    const failures: unknown[] = [];
    for (const url of this.#urls) {
      signal.throwIfAborted();
      try {
        using limit = within(tryMs, signal);
        const answer = await this.#client.call(url, proxyCall, asked, limit.signal);
        this.#urls = [url, ...this.#others(url)];
        return checked(answer);
      } catch (error) {
        this.#urls = [...this.#others(url), url];
        failures.push(error);
      }
    }
    throw new AggregateError(failures, 'No gateway could be asked about a proxy');
  };

  #others(url: string): string[] {
    return this.#urls.filter((other) => other !== url);
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

function checked(answer: unknown): ResolvedProxy {
  const { ok, proxy, refusal } = (answer ?? {}) as Record<string, unknown>;
  if (ok === true && isUpstreamProxy(proxy)) return { ok, proxy };
  if (ok === false && typeof refusal === 'string') return { ok, refusal };
  throw new Error('The gateway did not answer the question about a proxy');
}
