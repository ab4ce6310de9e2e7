import { frame, opcode, textFrame, upgradeRequest } from './frames.ts';
import type { Address } from './play.ts';

/** A valid conversation of a client: what it sends, one message after an answer to the one before. */
export interface Conversation {
  name: string;
  at: Address;
  messages: Buffer[];
}

/** What the attacker has: an account of its own, a session with a live view, and a site that it owns. */
export interface Attacker {
  gatewayUrl: string;
  hostUrl: string;
  proxyUrl: string;
  key: string;
  statsToken: string;
  proxyUser: string;
  proxyPassword: string;
  sessionId: string;
  cdpUrl: string;
  vncUrl: string;
  /** A hostile site, and a hostile proxy at the same port. */
  hostilePort: number;
}

export function conversations(attacker: Attacker): Conversation[] {
  return [...gatewayConversations(attacker), ...hostConversations(attacker), ...proxyConversations(attacker)];
}

function gatewayConversations(attacker: Attacker): Conversation[] {
  const { gatewayUrl, key, statsToken, sessionId, hostilePort } = attacker;
  const at = addressOf(gatewayUrl);
  const auth = `x-api-key: ${key}`;
  const get = (path: string, header = auth) => request('GET', path, [header]);
  const post = (path: string, body: unknown) => request('POST', path, [auth], JSON.stringify(body));
  const badProxy = `http://127.0.0.1:1`;
  const metadata = { a: [1, 'x', { b: null }], big: 'y'.repeat(300) };
  return [
    {
      name: 'gateway connect',
      at,
      messages: [get(`/connect?proxy=${badProxy}&os=windows&metadata=%7B%22a%22:1%7D`)],
    },
    {
      name: 'gateway reconnect',
      at,
      messages: [get(`/connect?sessionId=${sessionId}`), get('/user/api/limits')],
    },
    {
      name: 'gateway create',
      at,
      messages: [
        post('/api/browser/create', { proxy: badProxy, metadata, maxLifetime: 120, headless: true }),
        post('/api/browser/create', {
          proxy: `socks5://u:p@127.0.0.1:${hostilePort}`,
          browser_language: 'de-DE',
        }),
      ],
    },
    {
      name: 'gateway close',
      at,
      messages: [post('/api/browser/close', { browserId: 'br_000000000000000000000000' })],
    },
    { name: 'gateway status', at, messages: [get(`/api/browser/${sessionId}/status`), get('/api/browsers')] },
    {
      name: 'gateway history',
      at,
      messages: [get('/user/api/sessions?limit=2&status=CLOSED'), get('/user/api/usage')],
    },
    {
      name: 'gateway stats',
      at,
      messages: [
        get(
          '/api/users/stats/residential/bandwidth?from=2026-01-01&unit=Mb',
          `authorization: Bearer ${statsToken}`,
        ),
        get('/api/users/stats/residential/summary', `authorization: Bearer ${statsToken}`),
      ],
    },
    { name: 'gateway events', at, messages: [get('/user/api/events')] },
    { name: 'gateway webhook', at, messages: [post('/user/api/webhooks', { url: 'http://127.0.0.1:1/' })] },
    {
      name: 'gateway sign-in',
      at,
      messages: [post('/dashboard/api/sign-in', { email: 'a@example.com', password: 'x' })],
    },
    {
      name: 'gateway page',
      at,
      messages: [get('/'), get('/docs'), get('/openapi.json'), get('/health/ready')],
    },
    {
      name: 'gateway upgrade',
      at,
      messages: [upgradeRequest(`/connect?token=${key}&proxy=${badProxy}`, 'gateway')],
    },
    {
      name: 'gateway upload',
      at,
      messages: [request('PUT', `/api/browser/${sessionId}/files/a.bin`, [auth], 'x'.repeat(5000))],
    },
  ];
}

function hostConversations({ hostUrl, cdpUrl, vncUrl }: Attacker): Conversation[] {
  const at = addressOf(hostUrl);
  const cdpPath = new URL(cdpUrl).pathname;
  const vncPath = new URL(vncUrl).pathname;
  const evaluate = textFrame({
    id: 3,
    method: 'Runtime.evaluate',
    params: { expression: '1' },
    sessionId: 'A'.repeat(32),
  });
  return [
    {
      name: 'host cdp',
      at,
      messages: [
        upgradeRequest(cdpPath, 'host'),
        textFrame({ id: 1, method: 'Browser.getVersion' }),
        textFrame({
          id: 2,
          method: 'Target.setAutoAttach',
          params: { autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
        }),
        evaluate,
        frame(Buffer.from('{"id":4,"method":"Target.get'), opcode.text, false),
        frame(Buffer.from('Targets"}'), opcode.continuation),
        frame(Buffer.from('ping'), opcode.ping),
        frame(Buffer.from([0x03, 0xe8]), opcode.close),
      ],
    },
    {
      name: 'host discovery',
      at,
      messages: ['version', 'list', 'protocol'].map((name) => request('GET', `${cdpPath}/json/${name}`, [])),
    },
    {
      name: 'host files',
      at,
      messages: [
        request('PUT', `${cdpPath}/files/b.bin`, [], 'z'.repeat(70_000)),
        request('GET', `${cdpPath}/files`, []),
        request('GET', `${cdpPath}/files/b.bin`, ['Range: bytes=0-9']),
        request('DELETE', `${cdpPath}/files/b.bin`, []),
      ],
    },
    { name: 'host viewer page', at, messages: [request('GET', vncPath, [])] },
    {
      name: 'host viewer',
      at,
      messages: [
        upgradeRequest(`${vncPath}/socket`, 'host'),
        ...remoteFrameBuffer().map((bytes) => frame(bytes, opcode.binary)),
      ],
    },
  ];
}

/** The client's side of RFB 3.8: version, no security, share, encodings, an update, a key, the pointer, cut text. */
function remoteFrameBuffer(): Buffer[] {
  return [
    Buffer.from('RFB 003.008\n'),
    Buffer.from([1]),
    Buffer.from([1]),
    Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]),
    Buffer.from([3, 0, 0, 0, 0, 0, 4, 0, 4, 0]),
    Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x61]),
    Buffer.from([5, 0, 0, 10, 0, 10]),
    Buffer.from([6, 0, 0, 0, 0, 0, 0, 2, 0x68, 0x69]),
  ];
}

function proxyConversations({ proxyUrl, proxyUser, proxyPassword, hostilePort }: Attacker): Conversation[] {
  const at = addressOf(proxyUrl);
  const login = Buffer.from(`${proxyUser}:${proxyPassword}`).toString('base64');
  const auth = `Proxy-Authorization: Basic ${login}`;
  const site = `127.0.0.1:${hostilePort}`;
  const text = (value: string) => Buffer.from([value.length, ...Buffer.from(value)]);
  return [
    {
      name: 'proxy plain',
      at,
      messages: [
        request('GET', `http://${site}/`, [auth]),
        request('POST', `http://${site}/`, [auth], 'body'),
        Buffer.concat([
          request('GET', `http://${site}/1`, [auth]),
          request('GET', `http://${site}/2`, [auth], 'hidden'),
        ]),
      ],
    },
    {
      name: 'proxy connect',
      at,
      messages: [
        request('CONNECT', site, [auth]),
        Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
        Buffer.alloc(20_000, 1),
      ],
    },
    {
      name: 'proxy socks',
      at,
      messages: [
        Buffer.from([5, 1, 2]),
        Buffer.concat([Buffer.from([1]), text(proxyUser), text(proxyPassword)]),
        Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, hostilePort >> 8, hostilePort & 0xff]),
        Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      ],
    },
    {
      name: 'proxy wrong login',
      at,
      messages: [request('GET', `http://${site}/`, ['Proxy-Authorization: Basic eDp5'])],
    },
  ];
}

function request(method: string, path: string, headers: readonly string[], body?: string): Buffer {
  const framing =
    body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return Buffer.from(
    [`${method} ${path} HTTP/1.1`, 'Host: turnpike', ...headers, ...framing, '', body ?? ''].join('\r\n'),
  );
}

function addressOf(url: string): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
