import type { PageFormat } from './page-formats.ts';
import type { PageParameters } from './page-request.ts';

/** What a gateway asks a session's host to do with a page. */
export interface PageCall {
  parameters: PageParameters;
  /** What is read of the page, from one load. */
  formats: PageFormat[];
  /** Whether the one format is answered as it is. Otherwise the answer is JSON with all of them. */
  raw: boolean;
  /** Without `url` and `html`: the page that the session's clients used last, as it stands. */
  timeoutMs: number;
  /**
   * What an earlier load of `url` came with. If the server answers that the page is as it was then (304), nothing is
   * loaded, and the answer's error is `PAGE_HTTP_304`.
   */
  validators?: PageValidators;
}

/** By these a server knows whether a page has changed (RFC 9110, 8.8). */
export interface PageValidators {
  etag?: string;
  /** As the server wrote it. */
  lastModified?: string;
}

/** Longer ones are left out. */
export const maxValidatorLength = 500;

/** The largest answer: a picture of a long page. */
export const maxPageAnswerBytes = 32 * 2 ** 20;

export const pageErrorCodes = [
  'PAGE_URL',
  'PAGE_DNS',
  'PAGE_TLS',
  'PAGE_CONNECTION',
  'PAGE_PROXY',
  'PAGE_REDIRECTS',
  'PAGE_TIMEOUT',
  'PAGE_BLOCKED',
  'PAGE_CRASHED',
  'PAGE_CLOSED',
  'PAGE_TOO_LARGE',
  'PAGE_SCRIPT',
  'PAGE_FAILED',
] as const;
/** `PAGE_HTTP_` has the status of the page's response. */
export type PageErrorCode = (typeof pageErrorCodes)[number] | `PAGE_HTTP_${number}`;

/** What is known of a page, also of one that did not load. */
export interface PageReport extends PageValidators {
  /** The HTTP status of the document, if there was a response. */
  status?: number;
  /** After redirects. */
  url: string;
  title?: string;
  contentType?: string;
  /** Milliseconds from the call's beginning on the host. */
  timings: { loaded?: number; ready?: number; total: number };
  /** Through the proxy, up and down, since the call began. */
  bytes?: number;
  /** Errors that the page logged, and exceptions: the first ones. */
  consoleErrors: string[];
  /** The first ones. */
  failedRequests: { url: string; reason: string }[];
  /** Limits that were reached, and waits that `bestAttempt` gave up. */
  warnings: string[];
}

export type PageAnswer = { report: PageReport } & (
  | {
      /** The content type of the body. */
      type: string;
      /**
       * The format itself; or JSON: an object with a member for each format. Screenshots and PDFs are base64 there, HTML
       * and Markdown strings.
       */
      body: Uint8Array;
      /** Set if the address was a download, and so the body is the file. */
      fileName?: string;
    }
  | { error: { code: PageErrorCode; message: string } }
);
