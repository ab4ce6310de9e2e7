import type { IncomingMessage } from 'node:http';

/**
 * Returns the request's URL with a path that can be decoded. In a path that cannot be (`%zz`, half a character),
 * percent signs are escaped: otherwise the router would refuse it before authentication, with an answer of its own.
 */
export function readableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}
