import type { ResourceType, TypeEstimate } from '@turnpike/contract/traffic';
import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';

/** DevTools' types, where they are among those that are told apart. */
const typeOf: Partial<Record<Protocol.Network.ResourceType, ResourceType>> = {
  Document: 'document',
  Script: 'script',
  Stylesheet: 'stylesheet',
  Image: 'image',
  Media: 'media',
  Font: 'font',
  XHR: 'xhr',
  Fetch: 'xhr',
  EventSource: 'xhr',
};

interface OpenResponse {
  type: ResourceType;
  /** The length of its body as it was once sent; undefined if the response does not say. */
  sentBytes: number | undefined;
  isFromCache: boolean;
  decodedBytes: number;
}

/** Responses that come at the same time. Of a page with more, the oldest are not counted. */
const maxOpen = 1000;

/**
 * Estimates the bytes that a browser's HTTP cache saved: the bodies of responses that came from it, or that it was told
 * are unchanged. Chromium tells the length of what came over the network, and `Content-Length` what would have come.
 * Where that is missing, the length after decompression has to do. The same events tell what came over the network, by
 * type of resource.
 */
export class CacheMeter {
  readonly #open = new Map<string, OpenResponse>();
  readonly #byType: TypeEstimate = {};
  #bytes = 0;

  constructor(controller: Controller) {
    const key = (requestId: string, cdpSessionId: string | undefined) => `${cdpSessionId} ${requestId}`;
    controller.on('Network.responseReceived', ({ requestId, type, response }, cdpSessionId) =>
      this.#began(key(requestId, cdpSessionId), typeOf[type] ?? 'other', response),
    );
    controller.on('Network.dataReceived', ({ requestId, dataLength }, cdpSessionId) => {
      const open = this.#open.get(key(requestId, cdpSessionId));
      if (open) open.decodedBytes += dataLength;
    });
    controller.on('Network.loadingFinished', ({ requestId, encodedDataLength }, cdpSessionId) =>
      this.#finished(key(requestId, cdpSessionId), encodedDataLength),
    );
    controller.on('Network.loadingFailed', ({ requestId }, cdpSessionId) =>
      this.#open.delete(key(requestId, cdpSessionId)),
    );
  }

  /**
   * Has a target report its responses, without keeping their bodies. Only pages and frames: of a worker's own script
   * Chromium does not tell how much came over the network.
   */
  commandsFor(targetType: string): readonly Command[] {
    if (targetType !== 'page' && targetType !== 'iframe') return [];
    return [['Network.enable', { maxTotalBufferSize: 1, maxResourceBufferSize: 1 }]];
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What came over the network, by type. Workers' own requests are not in it. */
  get byType(): TypeEstimate {
    return { ...this.#byType };
  }

  #began(key: string, type: ResourceType, response: Protocol.Network.Response): void {
    const { headers, fromDiskCache, fromServiceWorker, remoteIPAddress, url } = response;
    // Neither from the cache nor from the network: a client's answer, say, or a service worker's.
    if (!url.startsWith('http') || fromServiceWorker || !(fromDiskCache || remoteIPAddress)) return;
    const length = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-length')?.[1];
    const sentBytes = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
    this.#open.set(key, { type, sentBytes, isFromCache: fromDiskCache === true, decodedBytes: 0 });
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size > maxOpen) this.#open.delete(oldest);
  }

  #finished(key: string, networkBytes: number): void {
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (open && networkBytes > 0) {
      this.#byType[open.type] = added(this.#byType[open.type] ?? 0, networkBytes);
    }
    // Without a body, as the answer to a HEAD request is; or of unknown origin.
    if (!open || open.decodedBytes === 0 || !(open.isFromCache || networkBytes > 0)) return;
    const sent = open.sentBytes ?? (open.isFromCache ? open.decodedBytes : 0);
    this.#bytes = added(this.#bytes, Math.max(0, sent - networkBytes));
  }
}

/** A browser that a page has taken over may tell anything. What is no number of bytes is left out. */
function added(sum: number, bytes: number): number {
  const more = sum + Math.round(bytes);
  return Number.isSafeInteger(more) ? more : sum;
}
