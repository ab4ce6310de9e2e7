import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net, { type Socket } from 'node:net';
import type { ProxyExit } from '@turnpike/contract/host';
import { urlHost } from '@turnpike/process/url-host';
import { within } from '@turnpike/process/within';
import { destroyOnAbort, secure } from '@turnpike/tunnel/dial';
import { basicCredentials } from '@turnpike/tunnel/http-connect';
import { isSocks, type Upstream } from '@turnpike/tunnel/upstream';
import { countryOf } from '../geography/country.ts';

const timeoutMs = 3000;
const maxAnswerLength = 16 * 1024;

/** Asks a URL, through the proxy, from which address it is seen. */
export async function probeExit(upstream: Upstream, url: URL, signal: AbortSignal): Promise<ProxyExit> {
  using bounds = within(timeoutMs, signal);
  const exit = parseExit(await get(upstream, url, bounds.signal));
  if (!exit) throw new Error('the answer has no address in it');
  const country = exit.country ?? (await countryOf(exit.ip));
  return country === undefined ? exit : { ...exit, country };
}

/** A bare address, or JSON with it in `ip` and perhaps the country's code in `country`. */
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

/** As a browser's request would go: plain HTTP as such to an HTTP proxy, all else through a connection. */
async function get(upstream: Upstream, url: URL, signal: AbortSignal): Promise<string> {
  const isPlain = url.protocol === 'http:' && !isSocks(upstream.proxy);
  const socket = isPlain ? await upstream.connect(signal) : await reach(upstream, url, signal);
  using _guard = destroyOnAbort(socket, signal);
  try {
    const credentials = isPlain ? basicCredentials(upstream.proxy) : undefined;
    const request = http.get({
      createConnection: () => socket,
      path: isPlain ? url.href : url.pathname + url.search,
      headers: {
        host: url.host,
        accept: 'application/json, text/plain',
        connection: 'close',
        ...(credentials === undefined ? {} : { 'proxy-authorization': credentials }),
      },
    });
    request.on('error', () => {}); // It may come after the wait for the answer was given up.
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`the answer's status is ${response.statusCode}`);
    return await readText(response);
  } finally {
    socket.destroy();
  }
}

async function reach(upstream: Upstream, url: URL, signal: AbortSignal): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const host = urlHost(url);
  const socket = await upstream.tunnel({ host, port: Number(url.port) || (isSecure ? 443 : 80) }, signal);
  return isSecure ? secure(socket, host, signal) : socket;
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxAnswerLength) throw new Error('the answer is too long');
  }
  return text;
}
