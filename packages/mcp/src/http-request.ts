import type { IncomingMessage } from 'node:http';

const localNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether a request is meant for this machine. A web page whose name resolves to this machine (DNS rebinding) sends
 * its own name as Host, and its own origin.
 */
export function isLocal({ headers: { host, origin } }: Pick<IncomingMessage, 'headers'>): boolean {
  return isLocalUrl(`http://${host}`) && (origin === undefined || isLocalUrl(origin));
}

function isLocalUrl(url: string): boolean {
  return URL.canParse(url) && localNames.includes(new URL(url).hostname);
}

/** The key from the gateway's header, or from a bearer token, for agents that can send only that. */
export function apiKeyOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const key = headers['x-api-key'] ?? /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? key : undefined;
}
