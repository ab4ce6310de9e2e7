import net from 'node:net';
import type { ProxyExit } from '@turnpike/contract/host';
import { urlHost } from '../addresses/url-host.ts';
import { destroyOnAbort, secure } from '../dial.ts';
import { readBody } from '../http/http-body.ts';
import { type Framing, responseFraming } from '../http/http-framing.ts';
import { formatHead } from '../http/http-head.ts';
import { credentialHeaders } from '../http-connect.ts';
import { readResponseHead } from '../read-head.ts';
import { Connection } from '../sockets/connection.ts';
import type { Target } from '../target.ts';
import { isSocks, type Upstream } from '../upstream.ts';
import { countryOf } from './ip-country.ts';

const maxAnswerLength = 16 * 1024;

/** Finds the proxy's exit address by requesting a URL through the proxy, for as long as the signal allows. */
export async function probeExit(upstream: Upstream, url: URL, signal: AbortSignal): Promise<ProxyExit> {
  const exit = parseExit(await get(upstream, url, signal));
  if (!exit) throw new Error('The answer contains no IP address');
  const country = exit.country ?? (await countryOf(exit.ip));
  return country === undefined ? exit : { ...exit, country };
}

/** Parses an answer: a bare address, or JSON with `ip` and optionally a country code in `country`. */
export function parseExit(text: string): ProxyExit | undefined {
  const trimmed = text.trim();
  if (net.isIP(trimmed)) return { ip: trimmed };
  let answer: { ip?: unknown; country?: unknown } | null;
  try {
    answer = JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  const { ip, country } = answer ?? {};
  if (typeof ip !== 'string' || !net.isIP(ip)) return undefined;
  const known = typeof country === 'string' && /^[a-z]{2}$/i.test(country);
  return known ? { ip, country: country.toUpperCase() } : { ip };
}

/** Requests a URL through the proxy, and tells how it was answered and how long that took. The body is not read. */
export async function fetchThrough(
  upstream: Upstream,
  url: URL,
  signal: AbortSignal,
): Promise<{ status: number; firstByteMs: number }> {
  const startedAt = performance.now();
  const accept = '*/*';
  return request(upstream, url, { accept, signal }, async (_connection, { status }) => ({
    status,
    firstByteMs: Math.round(performance.now() - startedAt),
  }));
}

function get(upstream: Upstream, url: URL, signal: AbortSignal): Promise<string> {
  const accept = 'application/json, text/plain';
  return request(upstream, url, { accept, signal }, async (connection, head) => {
    if (head.status !== 200) throw new Error(`The answer has status ${head.status}`);
    return readText(connection, responseFraming(head, 'GET'));
  });
}

type ResponseHead = Awaited<ReturnType<typeof readResponseHead>>;

/** Sends the request as a browser would: plain HTTP directly to an HTTP proxy, everything else through a tunnel. */
async function request<T>(
  upstream: Upstream,
  url: URL,
  { accept, signal }: { accept: string; signal: AbortSignal },
  read: (connection: Connection, head: ResponseHead) => Promise<T>,
): Promise<T> {
  const isPlain = url.protocol === 'http:' && !isSocks(upstream.proxy);
  const connection = isPlain
    ? await upstream.connect(probeTarget(url), signal)
    : await reach(upstream, url, signal);
  using _guard = destroyOnAbort(connection.socket, signal);
  try {
    const target = isPlain ? url.href : url.pathname + url.search;
    const headers = ['Host', url.host, 'Accept', accept, 'Connection', 'close'];
    const credentials = isPlain ? credentialHeaders(upstream.proxy) : [];
    await connection.write(formatHead(`GET ${target} HTTP/1.1`, [...headers, ...credentials]));
    return await read(connection, await readResponseHead(connection));
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    connection.destroy();
  }
}

async function reach(upstream: Upstream, url: URL, signal: AbortSignal): Promise<Connection> {
  const { host, port } = probeTarget(url);
  const connection = await upstream.tunnel({ host, port }, signal);
  return url.protocol === 'https:'
    ? new Connection(await secure(connection.release(), host, signal))
    : connection;
}

/** The destination of the probe. */
export const probeTarget = (url: URL): Target => ({
  host: urlHost(url),
  port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
});

async function readText(connection: Connection, framing: Framing): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  await readBody(connection, framing, async (part) => {
    length += part.length;
    if (length > maxAnswerLength) throw new Error('The answer is too long');
    parts.push(part);
  });
  return Buffer.concat(parts).toString('utf8');
}
