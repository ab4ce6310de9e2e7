/** Where Chromium puts the id of a paused request. */
const beginning = /^\{"method":"Fetch\.requestPaused","params":\{"requestId":"([\w.-]{1,100})"/;
const searchedBytes = 200;

/**
 * Writes the event of a paused request that is too large to report, because it has the request's body, without the
 * request: the host has to answer it, or the page waits for ever. Undefined: the message is another.
 */
export function withoutRequest(
  bytes: Buffer,
  start: number,
  end: number,
  cdpSessionId: string,
): string | undefined {
  const text = bytes.toString('utf8', start, Math.min(start + searchedBytes, end));
  const requestId = beginning.exec(text)?.[1];
  if (requestId === undefined) return undefined;
  const request = { url: '', method: '', headers: {} };
  return JSON.stringify({
    method: 'Fetch.requestPaused',
    params: { requestId, request, frameId: '', resourceType: 'Other' },
    sessionId: cdpSessionId,
  });
}
