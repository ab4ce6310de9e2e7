import type { UpstreamProxyError } from './upstream-proxy-error.ts';

/**
 * Why a connection of a browser could not be carried. The upstream proxy: did not answer in time, refused or reset the
 * connection, closed it or sent no valid HTTP, or answered with a refusal. `defect`: forwarding threw an error.
 */
export const connectionFailures = ['timeout', 'reset', 'closed', 'refused', 'defect'] as const;

export type ConnectionFailure = (typeof connectionFailures)[number];

export function failureOf({ timedOut, broke }: UpstreamProxyError): ConnectionFailure {
  return timedOut ? 'timeout' : (broke ?? 'refused');
}
