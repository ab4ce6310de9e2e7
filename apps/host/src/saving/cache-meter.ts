import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';

interface OpenResponse {
  /** The length of its body as it was once sent; undefined: the response does not say. */
  sentBytes: number | undefined;
  isFromCache: boolean;
  decodedBytes: number;
}

/** Responses that come at the same time. Of a page with more, the oldest are not counted. */
const maxOpen = 1000;

/**
 * Estimates the bytes that a browser's HTTP cache saved: the bodies of responses that came from it, or that it was told
 * are unchanged. Chromium tells the length of what came over the network, and `Content-Length` what would have come.
 * Where that is missing, the length after decompression has to do.
 */
export class CacheMeter {
  readonly #open = new Map<string, OpenResponse>();
  #bytes = 0;

  constructor(controller: Controller) {
    const key = (requestId: string, cdpSessionId: string | undefined) => `${cdpSessionId} ${requestId}`;
    controller.on('Network.responseReceived', ({ requestId, response }, cdpSessionId) =>
      this.#began(key(requestId, cdpSessionId), response),
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
    return Math.round(this.#bytes);
  }

  #began(key: string, response: Protocol.Network.Response): void {
    const { headers, fromDiskCache, fromServiceWorker, remoteIPAddress, url } = response;
    // Neither from the cache nor from the network: a client's answer, say, or a service worker's.
    if (!url.startsWith('http') || fromServiceWorker || !(fromDiskCache || remoteIPAddress)) return;
    const length = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-length')?.[1];
    const sentBytes = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
    this.#open.set(key, { sentBytes, isFromCache: fromDiskCache === true, decodedBytes: 0 });
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size > maxOpen) this.#open.delete(oldest);
  }

  #finished(key: string, networkBytes: number): void {
    const open = this.#open.get(key);
    this.#open.delete(key);
    // Without a body, as the answer to a HEAD request is; or of unknown origin.
    if (!open || open.decodedBytes === 0 || !(open.isFromCache || networkBytes > 0)) return;
    const sent = open.sentBytes ?? (open.isFromCache ? open.decodedBytes : 0);
    this.#bytes += Math.max(0, sent - networkBytes);
  }
}
