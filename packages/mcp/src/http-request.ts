import type { IncomingMessage } from 'node:http';

const localNames = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether it was meant for this machine. A page elsewhere whose name is made to lead here (DNS rebinding) sends its
 * own name as Host, and its own origin.
 */
export function isLocal({ headers: { host, origin } }: Pick<IncomingMessage, 'headers'>): boolean {
  return isLocalUrl(`http://${host}`) && (origin === undefined || isLocalUrl(origin));
}

function isLocalUrl(url: string): boolean {
  return URL.canParse(url) && localNames.includes(new URL(url).hostname);
}

/** In the gateway's own header, or as a bearer token where an agent can send only that. */
export function apiKeyOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const key = headers['x-api-key'] ?? /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? key : undefined;
}
