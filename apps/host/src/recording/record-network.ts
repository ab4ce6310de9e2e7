import type { RecordedEvent } from '@turnpike/contract/recording';
import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';
import type { Targets } from '../targets/targets.ts';
import type { BrowserEvents } from './browser-events.ts';
import { type EventLog, inTab } from './event-log.ts';
import type { Mask } from './masks/mask.ts';
import {
  type Content,
  contentOf,
  cutBody,
  maxBodyBytes,
  textOfBase64,
  timingOf,
} from './recorded-response.ts';

type Network = Protocol.Network.Response;

/** A request that has not ended. */
interface OpenRequest {
  tab: number | undefined;
  cdpSessionId: string;
  content: Content;
  /** Bytes after decompression, as far as they have come. */
  bytes: number;
}

interface NetworkRecording {
  controller: Controller;
  events: BrowserEvents;
  log: EventLog;
  mask: Mask;
  targets: Targets;
  withBodies: boolean;
}

/** Requests at the same time. The end of older ones is not recorded. */
const maxOpen = 2000;
const maxStatusLength = 100;
/** Longer than any id of Chromium. */
const maxIdLength = 64;
const maxBodies = 16;
const maxPostBytes = 64 * 1024;
/** What a renderer keeps of responses until they are asked for; without bodies, nothing. */
const bodyBuffers = { maxTotalBufferSize: 8 * 2 ** 20, maxResourceBufferSize: 2 ** 20 };
const noBuffers = { maxTotalBufferSize: 1, maxResourceBufferSize: 1 };

/** Has a target report its requests. */
export function networkCommands(withBodies: boolean): Command[] {
  return [['Network.enable', { ...(withBodies ? bodyBuffers : noBuffers), maxPostDataSize: maxPostBytes }]];
}

/** Records the requests of pages and workers, and their bodies if that was asked for. */
export class NetworkRecorder {
  readonly #parts: NetworkRecording;
  readonly #open = new Map<string, OpenRequest>();
  readonly #fromCache = new Set<string>();
  #bodiesOnTheWay = 0;

  constructor(parts: NetworkRecording) {
    this.#parts = parts;
    const { events, mask } = parts;
    events.on('Network.requestWillBeSent', (event, cdpSessionId) => this.#sent(event, cdpSessionId ?? ''));
    const learn = (headers: Record<string, unknown>) => {
      if (!mask.isSpent) mask.learnHeaders(headers);
    };
    events.on('Network.requestWillBeSentExtraInfo', ({ headers }) => learn(headers));
    events.on('Network.responseReceivedExtraInfo', ({ headers }) => learn(headers));
    events.on('Network.requestServedFromCache', ({ requestId }) => {
      if (this.#open.has(requestId)) this.#fromCache.add(requestId);
    });
    events.on('Network.responseReceived', ({ requestId, response }) => this.#received(requestId, response));
    events.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const open = this.#open.get(requestId);
      if (open) open.bytes += dataLength;
    });
    events.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
      this.#finished(requestId, encodedDataLength),
    );
    events.on('Network.loadingFailed', ({ requestId, errorText, canceled, blockedReason }) =>
      this.#failed(
        requestId,
        blockedReason ? `${errorText} (${blockedReason})` : errorText,
        canceled === true,
      ),
    );
    this.#recordWebSockets();
  }

  /** The CDP session is gone, and with it what it would have said about its requests. */
  detached(cdpSessionId: string): void {
    for (const [id, open] of this.#open) if (open.cdpSessionId === cdpSessionId) this.#close(id);
  }

  #sent(event: Protocol.Network.RequestWillBeSentEvent, cdpSessionId: string): void {
    const { requestId: id, request, type = 'Other', initiator, redirectResponse } = event;
    const isRedirect = redirectResponse !== undefined;
    if (redirectResponse) {
      this.#received(id, redirectResponse);
      this.#finished(id, redirectResponse.encodedDataLength, { isRedirected: true });
    }
    const { log, mask, withBodies } = this.#parts;
    if (mask.isSpent) {
      log.drop('events');
      return;
    }
    // What is not recorded may still teach a secret.
    const headers = mask.headers(request.headers);
    const body = request.postData === undefined ? undefined : mask.body(request.postData);
    this.#began(id, cdpSessionId, {
      method: request.method,
      url: request.url,
      type,
      initiator: initiator.type,
      headers,
      isRedirect,
    });
    if (withBodies && body !== undefined) this.#addText(id, 'request', body);
  }

  #began(
    id: string,
    cdpSessionId: string,
    { url, ...request }: Omit<Extract<RecordedEvent, { kind: 'request' }>, 't' | 'tab' | 'kind' | 'id'>,
  ): void {
    const { log, mask, targets } = this.#parts;
    const { tab } = targets.ofSession(cdpSessionId) ?? {};
    if (log.isFull || id.length > maxIdLength) {
      log.drop('events');
      return;
    }
    this.#open.delete(id);
    this.#open.set(id, { tab, cdpSessionId, content: undefined, bytes: 0 });
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size > maxOpen) this.#close(oldest);
    log.add({ kind: 'request', ...inTab(tab), id, ...request, url: mask.url(url) });
  }

  #received(id: string, response: Network): void {
    const { log, mask } = this.#parts;
    const open = this.#open.get(id);
    if (!open) return;
    open.content = contentOf(response.mimeType.slice(0, maxStatusLength));
    if (log.isFull) {
      log.drop('events');
      return;
    }
    const fromCache =
      this.#fromCache.has(id) ||
      Boolean(response.fromDiskCache || response.fromServiceWorker || response.fromPrefetchCache);
    const timing = timingOf(response.timing);
    log.add({
      kind: 'response',
      ...inTab(open.tab),
      id,
      status: response.status,
      fromCache,
      statusText: mask.text(response.statusText, maxStatusLength),
      mimeType: mask.text(response.mimeType, maxStatusLength),
      protocol: mask.text(response.protocol ?? '', maxStatusLength),
      headers: mask.headers(response.headers),
      ...(timing && { timing }),
    });
  }

  #finished(id: string, bytes: number, { isRedirected = false } = {}): void {
    const open = this.#close(id);
    if (!open) return;
    this.#parts.log.add({ kind: 'request.done', ...inTab(open.tab), id, bytes: Math.round(bytes) });
    if (this.#parts.withBodies && !isRedirected && open.bytes > 0) void this.#fetchBody(id, open);
  }

  #failed(id: string, error: string, isCanceled: boolean): void {
    const open = this.#close(id);
    if (!open) return;
    const { log, mask } = this.#parts;
    if (log.isFull) {
      log.drop('events');
      return;
    }
    const text = mask.text(error, maxStatusLength);
    log.add({ kind: 'request.failed', ...inTab(open.tab), id, error: text, isCanceled });
  }

  #close(id: string): OpenRequest | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    this.#fromCache.delete(id);
    return open;
  }

  async #fetchBody(id: string, { cdpSessionId, content, bytes }: OpenRequest): Promise<void> {
    const isText = content === 'text';
    if (!isText && (content !== 'picture' || bytes > maxBodyBytes)) return;
    const { controller, log, mask } = this.#parts;
    if (this.#bodiesOnTheWay >= maxBodies || log.isFull) {
      log.drop('bodies');
      return;
    }
    this.#bodiesOnTheWay += 1;
    try {
      const { body, base64Encoded } = await controller.call(
        'Network.getResponseBody',
        { requestId: id },
        { cdpSessionId, timeoutMs: 5000 },
      );
      if (log.isFull) {
        log.drop('bodies');
        return;
      }
      const text = base64Encoded && isText ? textOfBase64(body) : body;
      if (isText) this.#addText(id, 'response', mask.body(text));
      else if (base64Encoded && body.length <= maxBodyBytes) {
        log.add({ kind: 'body', id, of: 'response', base64: body, isCut: false });
      } else log.drop('bodies');
    } catch {
      log.drop('bodies'); // The page is gone, or the renderer has dropped it.
    } finally {
      this.#bodiesOnTheWay -= 1;
    }
  }

  #addText(id: string, of: 'request' | 'response', body: string): void {
    const text = cutBody(body);
    this.#parts.log.add({ kind: 'body', id, of, text, isCut: text.length < body.length });
  }

  /** A WebSocket is a request that ends when it is closed. What is sent over it is not recorded. */
  #recordWebSockets(): void {
    const { events, log, mask } = this.#parts;
    events.on('Network.webSocketCreated', ({ requestId, url, initiator }, cdpSessionId) => {
      const more = {
        type: 'WebSocket',
        initiator: initiator?.type ?? 'other',
        headers: {},
        isRedirect: false,
      };
      this.#began(requestId, cdpSessionId ?? '', { method: 'GET', url, ...more });
    });
    events.on('Network.webSocketWillSendHandshakeRequest', ({ request }) => {
      if (!mask.isSpent) mask.learnHeaders(request.headers);
    });
    events.on('Network.webSocketHandshakeResponseReceived', ({ requestId: id, response }) => {
      const open = this.#open.get(id);
      if (!open) return;
      if (log.isFull) {
        log.drop('events');
        return;
      }
      const { status, statusText } = response;
      log.add({
        kind: 'response',
        ...inTab(open.tab),
        id,
        status,
        statusText: mask.text(statusText, maxStatusLength),
        mimeType: '',
        protocol: 'websocket',
        fromCache: false,
        headers: mask.headers(response.headers),
      });
    });
    events.on('Network.webSocketFrameError', ({ requestId, errorMessage }) =>
      this.#failed(requestId, errorMessage, false),
    );
    events.on('Network.webSocketClosed', ({ requestId }) => this.#finished(requestId, 0));
  }
}
