import type { FiltersEngine, RequestType } from '@ghostery/adblocker';

/** What rules that hide elements are looked up by. */
export interface ElementNames {
  ids: string[];
  classes: string[];
}

/** A request, as far as filter lists ask about it. */
export interface ListedRequest {
  url: string;
  /** The page or worker that makes it. */
  sourceUrl: string;
  type: RequestType;
}

/** What the thread that reads filter lists is asked for. */
export interface ListToRead {
  paths: readonly string[];
  /** With rules for the look of pages. */
  hidesElements: boolean;
}

/** What the thread that reads filter lists answers. */
export interface ReadList {
  engine: Uint8Array;
  hosts: readonly string[];
}

export type Library = typeof import('@ghostery/adblocker');

/** How much of a URL rules are asked about. Pages can make URLs of megabytes. */
const maxUrlLength = 8192;
/** With a dot at its end. */
const maxHostLength = 254;

/** The rules of one kind. */
export class FilterList {
  readonly #library: Library;
  readonly #engine: FiltersEngine;
  readonly #hosts: ReadonlySet<string>;

  constructor(library: Library, { engine, hosts }: ReadList) {
    this.#library = library;
    this.#engine = library.FiltersEngine.deserialize(engine);
    this.#hosts = new Set(hosts);
  }

  refuses({ url, sourceUrl, type }: ListedRequest): boolean {
    const request = { url: url.slice(0, maxUrlLength), sourceUrl: sourceUrl.slice(0, maxUrlLength), type };
    return this.#engine.match(this.#library.Request.fromRawDetails(request)).match;
  }

  /** The style that hides what the list names on a page. Only lists of banners have such rules. */
  hidingStyle(pageUrl: string, { ids, classes }: ElementNames): string {
    const url = pageUrl.slice(0, maxUrlLength);
    const { hostname, domain } = this.#library.Request.fromRawDetails({ url, type: 'main_frame' });
    const { styles } = this.#engine.getCosmeticsFilters({
      url,
      hostname,
      domain,
      ids,
      classes,
      getInjectionRules: false,
      getExtendedRules: false,
    });
    return styles;
  }

  /** Whether it refuses everything of a host. */
  refusesHost(host: string): boolean {
    if (host.length > maxHostLength) return false;
    for (let name = host.toLowerCase().replace(/\.$/, ''); name !== ''; name = parentOf(name)) {
      if (this.#hosts.has(name)) return true;
    }
    return false;
  }
}

const hostRule = /^\|\|([a-z0-9-]+(?:\.[a-z0-9-]+)+)\^$/;
const exception = /^@@\|\|([a-z0-9-]+(?:\.[a-z0-9-]+)*)/;

/**
 * The hosts that a list refuses whole: those of rules like `||host^`, without options. A host is left out where an
 * exception speaks of it, of one below it or of one above it: then the answer depends on the request.
 */
export function refusedHosts(text: string): string[] {
  const hosts = new Set<string>();
  const excepted = new Set<string>();
  const aboveExcepted = new Set<string>();
  for (const line of text.split('\n')) {
    const rule = line.trim();
    const host = hostRule.exec(rule)?.[1];
    if (host !== undefined) hosts.add(host);
    const name = exception.exec(rule)?.[1];
    if (name === undefined) continue;
    excepted.add(name);
    for (let above = parentOf(name); above !== ''; above = parentOf(above)) aboveExcepted.add(above);
  }
  const isExcepted = (host: string) => {
    for (let name = host; name !== ''; name = parentOf(name)) if (excepted.has(name)) return true;
    return aboveExcepted.has(host);
  };
  return [...hosts].filter((host) => !isExcepted(host));
}

/** `b.c` of `a.b.c`; of `c`, nothing. */
function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}
