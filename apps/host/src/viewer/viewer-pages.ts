import type { IncomingMessage } from 'node:http';
import { type Asset, viewerAssets } from './assets.ts';
import type { ViewerAccess } from './viewer.ts';

export interface ViewerPagesOptions {
  /** Returns undefined if no running session has this token. */
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
  /** Whether it is the WebSocket, not the page. */
  socket: boolean;
  /** As the URL asks. The token may allow less. */
  viewOnly: boolean;
}

/** Parses `/vnc/<token>[/socket]?view_only=1`. Some clients append `&view_only=1` without a query. */
export function viewerTarget(url: string): ViewerTarget | undefined {
  const [, token, socket, query] = /^\/vnc\/([0-9a-f]{16,128})(\/socket)?(?:[?&](.*))?$/.exec(url) ?? [];
  if (token === undefined) return undefined;
  const viewOnly = new URLSearchParams(query).get('view_only') ?? 'false';
  return { token, socket: socket !== undefined, viewOnly: !['0', 'false'].includes(viewOnly) };
}

/** Serves the page of a live view, its assets, or the page for an unknown link. */
export function viewerPage(
  { method = '', url = '', headers }: IncomingMessage,
  options: ViewerPagesOptions,
): PageAnswer {
  const page = findPage({ url, headers }, options);
  if (page.status === 404 || method === 'GET' || method === 'HEAD') return page;
  return badMethod(options);
}

function findPage(
  { url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  options: ViewerPagesOptions,
): PageAnswer {
  const [, version, name] = /^\/vnc\/assets\/(\w+)\/([\w./-]+)$/.exec(url) ?? [];
  const { files, version: current } = viewerAssets();
  const asset = version === current && !name?.endsWith('.html') ? files.get(name ?? '') : undefined;
  if (asset) return assetAnswer(asset, /\bgzip\b/.test(String(headers['accept-encoding'])));
  const target = viewerTarget(url);
  const access = target && !target.socket ? options.findViewer(target.token) : undefined;
  if (!target || !access) return notFoundPage(options);
  // Redirects to the view-only token, so that the URL can be shared: without the parameter it allows no more.
  if (target.viewOnly) return redirect(access.viewOnlyToken, options);
  const page = template('index.html')
    .replaceAll('{{mode}}', access.viewOnly ? 'view-only' : 'control')
    .replaceAll('{{view-only-token}}', access.viewOnly ? '' : access.viewOnlyToken);
  return { status: 200, type: 'text/html; charset=utf-8', body: page, headers: pageHeaders(options) };
}

function notFoundPage(options: ViewerPagesOptions): PageAnswer {
  const body = template('not-found.html');
  const headers = { ...pageHeaders(options), 'x-error-code': 'NOT_FOUND' };
  return { status: 404, type: 'text/html; charset=utf-8', body, headers };
}

function badMethod(options: ViewerPagesOptions): PageAnswer {
  const headers = { ...pageHeaders(options), allow: 'GET, HEAD', 'x-error-code': 'METHOD_NOT_ALLOWED' };
  return { status: 405, type: 'text/plain; charset=utf-8', body: 'Method not allowed\n', headers };
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

/** The URL is a secret: the page is not cached, and other sites get no referrer. */
function pageHeaders({ viewerAncestors, publicUrl }: ViewerPagesOptions): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // noVNC draws images and cursors from data URLs.
    "img-src 'self' data: blob:",
    // In some browsers 'self' does not include WebSockets.
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
