import { type BlockKind, blockKinds } from '@turnpike/contract/create-parameters';
import type { RefusedRequests } from '@turnpike/contract/session';
import type { Protocol } from 'devtools-protocol';
import { isListKind, kindByType, type ListKind, typePatterns } from './blocked-types.ts';
import type { FilterList, ListedRequest } from './filter-list.ts';
import type { FilterLists } from './filter-lists.ts';

type PausedRequest = Protocol.Fetch.RequestPausedEvent;

/** The target that a request belongs to. */
export interface RequestTarget {
  targetId: string;
  type: string;
  url: string;
}

/** Pages have few frames; a page that makes more has those forgotten that are longest unchanged. */
const maxFrames = 1000;

/** Decides which requests of a session are refused, and counts them. */
export class RequestBlocker {
  readonly #kinds: readonly BlockKind[];
  readonly #lists: readonly (readonly [ListKind, FilterList])[];
  readonly #refused: RefusedRequests;
  /** The URL that a frame was last sent to, for pages that send no referrer. */
  readonly #frameUrls = new Map<string, string>();

  private constructor(kinds: readonly BlockKind[], lists: readonly (readonly [ListKind, FilterList])[]) {
    this.#kinds = kinds;
    this.#lists = lists;
    this.#refused = Object.fromEntries(kinds.map((kind) => [kind, 0]));
  }

  /** Rejects with `NO_FILTER_LIST` where a kind needs a list and the host has none. */
  static async create(block: readonly string[], lists: FilterLists): Promise<RequestBlocker> {
    const kinds = blockKinds.filter((kind) => block.includes(kind));
    const needed = kinds.filter(isListKind);
    const loaded = await Promise.all(needed.map(async (kind) => [kind, await lists.load(kind)] as const));
    return new RequestBlocker(kinds, loaded);
  }

  /** So far, by what they were refused for. */
  get refused(): RefusedRequests {
    return { ...this.#refused };
  }

  /** The requests that have to be paused: those of blocked types; all, where there are lists to ask. */
  patternsFor(targetType: string): Protocol.Fetch.RequestPattern[] {
    // The page's own CDP session has the requests of its workers.
    if (targetType === 'worker') return [];
    return this.#lists.length > 0 ? [{ urlPattern: 'http*' }] : typePatterns(this.#kinds, targetType);
  }

  /** Whether a paused request is refused. It counts then. */
  refuses(paused: PausedRequest, target: RequestTarget): boolean {
    const isDocument = paused.resourceType === 'Document';
    const isPage = isDocument && target.type === 'page' && paused.frameId === target.targetId;
    const kind = isPage
      ? undefined
      : (kindByType(this.#kinds, paused, target.type) ?? this.#listed(paused, target));
    if (isDocument && kind === undefined) this.#sentTo(paused);
    return this.#count(kind);
  }

  /** The kind whose list refuses everything of a host. */
  blockedByList(host: string): ListKind | undefined {
    return this.#lists.find(([, list]) => list.refusesHost(host))?.[0];
  }

  /** For the forwarder, which sees what the browser cannot pause: WebSockets, and what belongs to no page. It counts. */
  refusesHost(host: string): 'block' | undefined {
    return this.#count(this.blockedByList(host)) ? 'block' : undefined;
  }

  #listed(paused: PausedRequest, target: RequestTarget): ListKind | undefined {
    if (this.#lists.length === 0) return undefined;
    const request = this.#describe(paused, target);
    return this.#lists.find(([, list]) => list.refuses(request))?.[0];
  }

  #describe({ request, resourceType, frameId }: PausedRequest, target: RequestTarget): ListedRequest {
    const { Referer, Origin } = request.headers;
    const isWorker = target.type !== 'page' && target.type !== 'iframe';
    // A frame's own document is asked for by the page around it.
    const asker = resourceType === 'Document' ? target.targetId : frameId;
    const sourceUrl = Referer ?? Origin ?? (isWorker ? undefined : this.#frameUrls.get(asker)) ?? target.url;
    const type = resourceType === 'Document' ? 'sub_frame' : resourceType.toLowerCase();
    return { url: request.url, sourceUrl, type: type as ListedRequest['type'] };
  }

  #sentTo({ frameId, request }: PausedRequest): void {
    this.#frameUrls.delete(frameId);
    this.#frameUrls.set(frameId, request.url);
    const [oldest] = this.#frameUrls.keys();
    if (oldest !== undefined && this.#frameUrls.size > maxFrames) this.#frameUrls.delete(oldest);
  }

  #count(kind: BlockKind | undefined): boolean {
    if (kind === undefined) return false;
    this.#refused[kind] = (this.#refused[kind] ?? 0) + 1;
    return true;
  }
}
