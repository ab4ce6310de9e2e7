import type { BrowserHost, OpenedBrowser, OpenRequest, RunningHost } from '@turnpike/contract/host';

interface Opening {
  opened: Promise<OpenedBrowser>;
  cancel: AbortController;
  callers: number;
}

/**
 * Makes `open` idempotent: a call for a session that is opening joins it, and a call for an open session gets the same
 * answer. An opening is cancelled when all its callers have disconnected.
 */
export function sharedOpenings(host: RunningHost): BrowserHost['open'] {
  const openings = new Map<string, Opening>();
  host.onEnded(({ sessionId }) => openings.delete(sessionId));

  const begin = (request: OpenRequest): Opening => {
    const cancel = new AbortController();
    const opened = host.open(request, cancel.signal);
    opened.catch(() => openings.delete(request.sessionId));
    const opening = { opened, cancel, callers: 0 };
    openings.set(request.sessionId, opening);
    return opening;
  };

  return async (request, signal) => {
    signal.throwIfAborted();
    const opening = openings.get(request.sessionId) ?? begin(request);
    opening.callers += 1;
    const disconnect = () => {
      opening.callers -= 1;
      if (opening.callers === 0) opening.cancel.abort(signal.reason);
    };
    signal.addEventListener('abort', disconnect, { once: true });
    try {
      return await opening.opened;
    } finally {
      signal.removeEventListener('abort', disconnect);
    }
  };
}
