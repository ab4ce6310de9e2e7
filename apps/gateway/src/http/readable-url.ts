import type { IncomingMessage } from 'node:http';

/**
 * The request's URL with a path that can be decoded. In one that cannot (`%zz`, half a character) the percent signs
 * stand for themselves: the router would refuse it before authentication, with an answer of its own.
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
