import type { IncomingMessage } from 'node:http';
import { type Asset, viewerAssets } from './assets.ts';
import type { ViewerAccess } from './viewer.ts';

export interface ViewerPagesOptions {
  /** Undefined for a token that is not, or no longer, a session's. */
  findViewer(token: string): ViewerAccess | undefined;
  /** Origins whose pages may frame the live view, besides the host's own. */
  viewerAncestors(): readonly string[];
  /** `ws://host:port` */
  publicUrl(): string;
}

export interface PageAnswer {
  status: number;
  type: string;
  body: string | Buffer;
  headers: Record<string, string>;
}

export interface ViewerTarget {
  token: string;
  /** Its WebSocket, not its page. */
  socket: boolean;
  /** As asked for; what the token allows is another matter. */
  viewOnly: boolean;
}

/** `/vnc/<token>[/socket]`, and then `?view_only=1`, which some write as they would add it to a query. */
export function viewerTarget(url: string): ViewerTarget | undefined {
  const [, token, socket, query] = /^\/vnc\/([0-9a-f]{16,128})(\/socket)?(?:[?&](.*))?$/.exec(url) ?? [];
  if (token === undefined) return undefined;
  const viewOnly = new URLSearchParams(query).get('view_only') ?? 'false';
  return { token, socket: socket !== undefined, viewOnly: !['0', 'false'].includes(viewOnly) };
}

/** The page of a live view, the files it is made of, or the page that says that there is none. */
export function viewerPage(
  { method = '', url = '', headers }: IncomingMessage,
  options: ViewerPagesOptions,
): PageAnswer {
  if (method !== 'GET' && method !== 'HEAD') return notFoundPage(options);
  const [, version, name] = /^\/vnc\/assets\/(\w+)\/([\w./-]+)$/.exec(url) ?? [];
  const { files, version: current } = viewerAssets();
  const asset = version === current && !name?.endsWith('.html') ? files.get(name ?? '') : undefined;
  if (asset) return assetAnswer(asset, /\bgzip\b/.test(String(headers['accept-encoding'])));
  const target = viewerTarget(url);
  const access = target && !target.socket ? options.findViewer(target.token) : undefined;
  if (!target || !access) return notFoundPage(options);
  // Its own address can be given away: to drop the parameter gives nothing back.
  if (target.viewOnly) return redirect(access.viewOnlyToken, options);
  const page = template('index.html')
    .replaceAll('{{mode}}', access.viewOnly ? 'view-only' : 'control')
    .replaceAll('{{view-only-token}}', access.viewOnly ? '' : access.viewOnlyToken);
  return { status: 200, type: 'text/html; charset=utf-8', body: page, headers: pageHeaders(options) };
}

function notFoundPage(options: ViewerPagesOptions): PageAnswer {
  const body = template('not-found.html');
  return { status: 404, type: 'text/html; charset=utf-8', body, headers: pageHeaders(options) };
}

function redirect(location: string, options: ViewerPagesOptions): PageAnswer {
  const headers = { ...pageHeaders(options), location };
  return { status: 302, type: 'text/plain; charset=utf-8', body: '', headers };
}

function assetAnswer({ type, body, gzipped }: Asset, gzip: boolean): PageAnswer {
  const headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...(gzip && { 'content-encoding': 'gzip' }),
  };
  return { status: 200, type, body: gzip ? gzipped : body, headers };
}

function template(name: string): string {
  const { files, version } = viewerAssets();
  return (files.get(name)?.body.toString() ?? '').replaceAll('{{assets}}', `assets/${version}`);
}

/** The URL is the secret: no cache keeps the page, and no other site is told where a person came from. */
function pageHeaders({ viewerAncestors, publicUrl }: ViewerPagesOptions): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // noVNC draws pictures and cursors from data.
    "img-src 'self' data: blob:",
    // Not every browser takes 'self' for the WebSocket too.
    `connect-src 'self' ${URL.parse(publicUrl())?.origin ?? ''}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...viewerAncestors()].join(' ')}`,
  ];
  return {
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  };
}
