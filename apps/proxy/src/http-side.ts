import { isEmpty } from '@turnpike/tunnel/http/http-framing';
import type { RequestHead } from '@turnpike/tunnel/http/http-head';
import { valuesOf } from '@turnpike/tunnel/http/http-headers';
import type { IdleConnections } from '@turnpike/tunnel/idle-connections';
import { PlainExchanges, wantsKeepAlive } from '@turnpike/tunnel/plain-exchange';
import { plainUrl } from '@turnpike/tunnel/plain-route';
import { answer, serveHttp } from '@turnpike/tunnel/serve-http';
import type { Connection } from '@turnpike/tunnel/sockets/connection';
import { parseTarget } from '@turnpike/tunnel/target';
import type { Admission, Credentials } from './admission.ts';
import type { MeteredConnection } from './meter.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import { Refusal } from './refusal.ts';
import { asRefusal } from './route.ts';

const answerMs = 300_000;
const idleMs = 60_000;
const maxHeadBytes = 64 * 1024;

export interface SideParts {
  admission: Admission;
  metrics: ProxyMetrics;
  /** Connections to targets, by account. */
  idle: IdleConnections;
  /** Time for a request's head or a handshake to be complete. */
  handshakeMs: number;
}

/** Serves HTTP CONNECT and plain HTTP (RFC 9110). */
export function serveHttpClient(client: MeteredConnection, parts: SideParts): Promise<void> {
  const { connection } = client;
  const plain = new PlainExchanges(connection, answerMs, parts.idle);

  async function onConnect(request: RequestHead): Promise<void> {
    let upstream: Connection;
    try {
      const target = parseTarget(request.target);
      if (!target) throw new Refusal(400, 'CONNECT needs host:port');
      const { route } = await admit(request);
      upstream = await route.tunnel(target);
    } catch (error) {
      return refuse('connect', error, false);
    }
    parts.metrics.request('connect', 'carried');
    client.becomeTunnel();
    void connection.write('HTTP/1.1 200 Connection established\r\n\r\n').catch(() => {}); // `join` handles a closed connection.
    connection.join(upstream);
  }

  async function onRequest(request: RequestHead): Promise<boolean> {
    try {
      const url = plainUrl(request.target);
      if (!url) throw new Refusal(400, 'not a proxy request: the URL must begin with http://');
      const { accountId, route } = await admit(request);
      const keeps = await plain.carry(request, await route.plain(url, request.target), accountId);
      parts.metrics.request('http', 'carried');
      return keeps;
    } catch (error) {
      const keeps = isEmpty(request.body) && wantsKeepAlive(request);
      await refuse('http', error, keeps);
      return keeps;
    }
  }

  function admit(request: RequestHead) {
    return parts.admission.admit(basicCredentials(request), client);
  }

  async function refuse(way: 'http' | 'connect', error: unknown, keeps: boolean): Promise<void> {
    const { status, code, message, retryAfterSeconds } = asRefusal(error);
    parts.metrics.request(way, status);
    const headers = [
      ...['X-Error-Code', code],
      ...(status === 407 ? ['Proxy-Authenticate', 'Basic realm="Turnpike"'] : []),
      ...(retryAfterSeconds === undefined ? [] : ['Retry-After', `${retryAfterSeconds}`]),
    ];
    await answer(connection, { status, text: `${message}\n`, headers, keeps });
  }

  const limits = { headMs: parts.handshakeMs, idleMs, maxHeadBytes };
  return serveHttp(connection, { beforeRequest: () => client.endRequest(), onConnect, onRequest }, limits);
}

function basicCredentials({ headers }: RequestHead): Credentials | undefined {
  const [header = ''] = valuesOf(headers, 'proxy-authorization');
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(header)?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0
    ? { user: text, password: '' }
    : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
