/** How Chromium begins the event of a paused request. */
const beginning =
  /^\{"method":"Fetch\.requestPaused","params":\{"requestId":"([\w.-]{1,100})","request":\{(?=")/;
const beginningBytes = 300;
/** What follows the request. Chromium escapes quotes in strings, so that nothing in them looks like this. */
const ending = /\},"frameId":"([\w-]{1,100})","resourceType":"(\w{1,30})"/;
/** The members that Chromium writes before a body. */
const members = ['url', 'urlFragment', 'method', 'headers'];
/** How deep those are in the message. */
const requestDepth = 3;

/** How much of the beginning of a message may be needed. A request with a longer address is passed on without it. */
export const firstBytes = 64 * 1024;
/** How much of its end. */
export const lastBytes = 1024;

/**
 * Writes the event of a paused request that is too large to report, because it has the request's body, without the
 * body: the host has to decide on it and to answer it, or the page waits for ever. Takes the beginning and the end of
 * the message. Returns undefined if the message is another.
 */
export function withoutBody(first: Buffer, last: Buffer, cdpSessionId: string): string | undefined {
  const [begun = '', requestId] = beginning.exec(first.toString('latin1', 0, beginningBytes)) ?? [];
  if (requestId === undefined) return undefined;
  const [, frameId = '', resourceType = 'Other'] = ending.exec(last.toString('latin1')) ?? [];
  const request = readRequest(first, begun.length) ?? { url: '', method: '', headers: {} };
  return JSON.stringify({
    method: 'Fetch.requestPaused',
    params: { requestId, request, frameId, resourceType },
    sessionId: cdpSessionId,
  });
}

/** Reads the members of the request before its body. `from` is where the first of them begins. */
function readRequest(bytes: Buffer, from: number): unknown {
  const end = endOfMembers(bytes, from);
  if (end === undefined) return undefined;
  try {
    return JSON.parse(`{${bytes.toString('utf8', from, end)}}`);
  } catch {
    return undefined;
  }
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening: (number | undefined)[] = [0x7b, 0x5b];
const closing: (number | undefined)[] = [0x7d, 0x5d];

/** Where the comma is before the first member that is not one of the expected. */
function endOfMembers(bytes: Buffer, from: number): number | undefined {
  let depth = requestDepth;
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === quote) at = endOfString(bytes, at);
    else if (opening.includes(bytes[at])) depth += 1;
    else if (closing.includes(bytes[at])) depth -= 1;
    else if (bytes[at] === comma && depth === requestDepth) {
      const name = bytes.toString('latin1', at + 2, endOfString(bytes, at + 1));
      if (!members.includes(name)) return at;
    }
    if (depth < requestDepth) return at;
  }
  return undefined;
}

/** Where the quote is that ends the string of the quote at `start`. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
