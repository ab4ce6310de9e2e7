import type { PageParameters } from '@turnpike/contract/page/page-request';
import { Slices } from '@turnpike/process/work/slices';
import type { Protocol } from 'devtools-protocol';
import { RE2JS } from 're2js';
import type { FilterList, ListedRequest } from '../../saving/filter-list.ts';
import { PageError } from '../page-error.ts';

type ResourceType = Protocol.Network.ResourceType;

/** The names that callers use are Puppeteer's. */
const types: Readonly<Record<string, ResourceType>> = {
  document: 'Document',
  stylesheet: 'Stylesheet',
  image: 'Image',
  media: 'Media',
  font: 'Font',
  script: 'Script',
  texttrack: 'TextTrack',
  xhr: 'XHR',
  fetch: 'Fetch',
  prefetch: 'Prefetch',
  eventsource: 'EventSource',
  manifest: 'Manifest',
  ping: 'Ping',
  other: 'Other',
};

/** An expression takes time in proportion to its size and to the length of the URL. Both are bounded. */
const maxProgramSize = 1000;
const maxUrlLength = 2048;

/** Which requests of a page are not sent, and how it signs in. */
export class RequestRules {
  readonly #types: ReadonlySet<string>;
  readonly #patterns: readonly RE2JS[];
  readonly #hasCredentials: boolean;
  readonly #banners: Pick<FilterList, 'refuses'> | undefined;
  readonly refusesWebSockets: boolean;

  /** `banners`: the list of what consent banners are loaded from. */
  constructor(
    { rejectResourceTypes = [], rejectRequestPattern = [], authenticate }: PageParameters,
    banners?: Pick<FilterList, 'refuses'>,
  ) {
    const names = rejectResourceTypes as string[];
    this.#types = new Set(names.flatMap((name) => types[name] ?? []));
    this.refusesWebSockets = names.includes('websocket');
    this.#patterns = rejectRequestPattern.map(compiled);
    this.#hasCredentials = authenticate !== undefined;
    this.#banners = banners;
  }

  /** Undefined if no request has to be paused. `withDocuments`: those for documents are, whatever the rules. */
  interception(withDocuments = false): Protocol.Fetch.EnableRequest | undefined {
    if (this.#patterns.length > 0 || this.#hasCredentials || this.#banners)
      return { patterns: [{ urlPattern: '*' }], handleAuthRequests: this.#hasCredentials };
    const paused = new Set([...this.#types, ...(withDocuments ? ['Document'] : [])]);
    if (paused.size === 0) return undefined;
    return { patterns: [...paused].map((type) => ({ resourceType: type as ResourceType })) };
  }

  /** Lets others be served between two expressions. The document that the call asks for is never refused. */
  async refuses(
    { request, resourceType, frameId }: Protocol.Fetch.RequestPausedEvent,
    mainFrameId: string,
  ): Promise<boolean> {
    if (resourceType === 'Document' && frameId === mainFrameId) return false;
    if (this.#types.has(resourceType)) return true;
    if (this.#banners?.refuses(listed(request, resourceType))) return true;
    const url = request.url.slice(0, maxUrlLength);
    const slices = new Slices();
    for (const pattern of this.#patterns) {
      if (pattern.matcher(url).find()) return true;
      await slices.pause();
    }
    return false;
  }
}

function listed(
  { url, headers }: Protocol.Network.Request,
  resourceType: Protocol.Network.ResourceType,
): ListedRequest {
  const type = resourceType === 'Document' ? 'sub_frame' : resourceType.toLowerCase();
  const sourceUrl = headers['Referer'] ?? headers['Origin'] ?? '';
  return { url, sourceUrl, type: type as ListedRequest['type'] };
}

function compiled(text: string): RE2JS {
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(text);
  } catch (error) {
    throw new PageError(
      'PAGE_FAILED',
      `rejectRequestPattern has ${JSON.stringify(text)}, which RE2 does not read: ${(error as Error).message}`,
    );
  }
  if (pattern.programSize() > maxProgramSize)
    throw new PageError(
      'PAGE_FAILED',
      `rejectRequestPattern has ${JSON.stringify(text)}, which is too long. Use fewer repetitions.`,
    );
  return pattern;
}
