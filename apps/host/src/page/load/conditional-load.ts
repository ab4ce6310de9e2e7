import { maxValidatorLength, type PageValidators } from '@turnpike/contract/page/page-call';
import type { Protocol } from 'devtools-protocol';
import type { DevTools } from '../devtools/devtools.ts';
import { PageError } from '../page-error.ts';

/** Whether a header may have it. */
const canBeSent = (value: string): boolean =>
  value.length <= maxValidatorLength && /^[\x20-\x7e]+$/.test(value);

/** The validators in a document's headers, for the next load. */
export function validatorsIn(headers: Readonly<Record<string, string>>): PageValidators {
  const { etag = '', 'last-modified': lastModified = '' } = headers;
  return {
    ...(canBeSent(etag) && { etag }),
    ...(canBeSent(lastModified) && { lastModified }),
  };
}

/**
 * Asks for a document only if it has changed: the headers go with the page's own request and with no other. Chromium
 * shows a 304 that it did not ask for as an empty page, so the answer is looked at before it is shown.
 */
export class ConditionalLoad {
  readonly #headers: readonly Protocol.Fetch.HeaderEntry[];
  #isSent = false;
  #isUnchanged = false;

  constructor({ etag = '', lastModified = '' }: PageValidators) {
    this.#headers = [
      { name: 'If-None-Match', value: etag },
      { name: 'If-Modified-Since', value: lastModified },
    ].filter(({ value }) => canBeSent(value));
  }

  /** Whether there is anything to ask by. */
  get isPossible(): boolean {
    return this.#headers.length > 0;
  }

  /** Whether the server has answered that the document is as it was. */
  get isUnchanged(): boolean {
    return this.#isUnchanged;
  }

  /** Goes on with a paused request for the page's document. The first one gets the headers. */
  goOn(
    devtools: Pick<DevTools, 'tell'>,
    { requestId, request, responseStatusCode, responseErrorReason }: Protocol.Fetch.RequestPausedEvent,
    sessionId: string | undefined,
  ): void {
    const isResponse = responseStatusCode !== undefined || responseErrorReason !== undefined;
    if (responseStatusCode === 304) {
      this.#isUnchanged = true;
      devtools.tell('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, sessionId);
    } else if (isResponse || this.#isSent) {
      devtools.tell('Fetch.continueRequest', { requestId }, sessionId);
    } else {
      this.#isSent = true;
      const own = Object.entries(request.headers).map(([name, value]) => ({ name, value: String(value) }));
      const headers = [...own, ...this.#headers];
      devtools.tell('Fetch.continueRequest', { requestId, headers, interceptResponse: true }, sessionId);
    }
  }
}

export const unchanged = (): PageError =>
  new PageError('PAGE_HTTP_304', 'The page has not changed since the load that the validators are of.');
