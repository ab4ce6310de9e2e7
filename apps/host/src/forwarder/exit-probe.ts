import net from 'node:net';
import type { ProxyExit } from '@turnpike/contract/host';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';
import { destroyOnAbort, secure } from '@turnpike/tunnel/dial';
import { readBody } from '@turnpike/tunnel/http/http-body';
import { type Framing, responseFraming } from '@turnpike/tunnel/http/http-framing';
import { formatHead } from '@turnpike/tunnel/http/http-head';
import { credentialHeaders } from '@turnpike/tunnel/http-connect';
import { readResponseHead } from '@turnpike/tunnel/read-head';
import { Connection } from '@turnpike/tunnel/sockets/connection';
import type { Target } from '@turnpike/tunnel/target';
import { isSocks, type Upstream } from '@turnpike/tunnel/upstream';
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

/** Sends the request as a browser would: plain HTTP directly to an HTTP proxy, everything else through a tunnel. */
async function get(upstream: Upstream, url: URL, signal: AbortSignal): Promise<string> {
  const isPlain = url.protocol === 'http:' && !isSocks(upstream.proxy);
  const connection = isPlain
    ? await upstream.connect(probeTarget(url), signal)
    : await reach(upstream, url, signal);
  using _guard = destroyOnAbort(connection.socket, signal);
  try {
    const target = isPlain ? url.href : url.pathname + url.search;
    const headers = ['Host', url.host, 'Accept', 'application/json, text/plain', 'Connection', 'close'];
    const credentials = isPlain ? credentialHeaders(upstream.proxy) : [];
    await connection.write(formatHead(`GET ${target} HTTP/1.1`, [...headers, ...credentials]));
    const head = await readResponseHead(connection);
    if (head.status !== 200) throw new Error(`The answer has status ${head.status}`);
    return await readText(connection, responseFraming(head, 'GET'));
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
