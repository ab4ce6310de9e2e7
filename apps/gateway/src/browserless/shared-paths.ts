import type { IncomingMessage } from 'node:http';

/** Where the sessions of Browserless's `/sessions` are. */
export const sessionsPath = '/browserless/sessions';

/**
 * Returns the URL of a request, where Browserless and the dashboard share a path. A WebSocket at the root is one at
 * `/chromium`, and a token makes `/sessions` a list for programs. Everybody else gets the dashboard's page.
 */
export function browserlessUrl({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const at = url.indexOf('?');
  const [path, query] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  if (path === '/' && headers.upgrade?.toLowerCase() === 'websocket') return `/chromium${url.slice(1)}`;
  if (/^\/sessions\/?$/.test(path) && /(?:^|&)token=/.test(query)) return `${sessionsPath}?${query}`;
  return url;
}
