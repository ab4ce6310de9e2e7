import type { PageFormat } from './page-options.ts';

/** What page calls answer. */

/** What is known of a page, also of one that did not load. */
export interface PageReport {
  /** The HTTP status of the document, if there was a response. */
  status?: number;
  /** After redirects. */
  url: string;
  title?: string;
  contentType?: string;
  /** The document's `etag` header. */
  etag?: string;
  /** The document's `last-modified` header, as it came. */
  lastModified?: string;
  /** Milliseconds since the call began on the host. */
  timings: { loaded?: number; ready?: number; total: number };
  /** Through the proxy, up and down. */
  bytes?: number;
  /** Errors that the page logged, and exceptions: the first ones. */
  consoleErrors: string[];
  /** The first ones. */
  failedRequests: { url: string; reason: string }[];
  /** Limits that were reached, and waits that `bestAttempt` gave up. */
  warnings: string[];
}

/** A page as bytes. */
export interface PageBytes {
  sessionId: string;
  /** The page's own HTTP status, if there was a response. */
  status?: number;
  /** After redirects. */
  url: string;
  /** How long the browser took, in milliseconds. */
  browserMs: number;
  /** Bytes through the proxy, up and down. */
  bytes?: number;
  contentType: string;
  /** The file's name, if the address was a download: then `data` is the file. */
  fileName?: string;
  data: Uint8Array<ArrayBuffer>;
}

/** A page as text. */
export interface PageText extends PageBytes {
  text: string;
}

/** Elements that `scrape` found. */
export interface ScrapedElements {
  selector: string;
  results: {
    text: string;
    /** What is inside the element. */
    html: string;
    attributes: { name: string; value: string }[];
    /** In CSS pixels. */
    top: number;
    left: number;
    width: number;
    height: number;
  }[];
}

/** What a page was read as. Pictures and PDFs are base64. */
export interface PageResults {
  screenshot: string;
  pdf: string;
  content: string;
  markdown: string;
  /** Absolute addresses, each once. */
  links: string[];
  /** For each selector, in the order given. */
  scrape: ScrapedElements[];
  /** The HTML, and a picture. */
  snapshot: { content: string; screenshot: string };
  /** The tree of roles, names and states. */
  accessibility: unknown;
}

/** A page as JSON, in one or more formats. */
export interface PageJson<Format extends PageFormat> {
  sessionId: string;
  page: PageReport;
  results: Pick<PageResults, Format>;
}
