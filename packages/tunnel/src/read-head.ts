import { parseResponseHead, type ResponseHead } from './http/http-head.ts';
import type { Connection } from './sockets/connection.ts';
import { UpstreamProxyError } from './upstream-proxy-error.ts';

export function readHead(connection: Connection, maxBytes: number): Promise<Buffer | undefined | 'too-long'> {
  return connection.readThrough('head', maxBytes);
}

/** Chromium's limit. */
const maxResponseHeadBytes = 256 * 1024;
const beginning = 'HTTP/1.';

/** The head of an answer; throws a `UpstreamProxyError` when there is none. */
export async function readResponseHead(connection: Connection): Promise<ResponseHead> {
  // Another protocol may send a greeting and then wait.
  const first = (await connection.peek())?.toString('latin1', 0, beginning.length);
  if (first === undefined) {
    throw new UpstreamProxyError('closed the connection', {
      broke: 'closed',
      unanswered: true,
      fault: 'broke',
    });
  }
  if (!beginning.startsWith(first))
    throw new UpstreamProxyError('does not speak HTTP', { broke: 'closed', fault: 'broke' });
  const head = await readHead(connection, maxResponseHeadBytes);
  if (head === undefined || head === 'too-long') {
    throw new UpstreamProxyError('sent an answer without end', { broke: 'closed', fault: 'broke' });
  }
  return parseResponseHead(head.toString('latin1'));
}
