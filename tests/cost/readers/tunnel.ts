import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parseProxyUser } from '@turnpike/contract/proxy-user';
import { hostMatcher, normalHost, parseHostPattern } from '@turnpike/tunnel/addresses/host-pattern';
import { parseProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import { parseExit } from '@turnpike/tunnel/exit/exit-probe';
import { Connection } from '@turnpike/tunnel/sockets/connection';
import { checkedRequest } from '../../../apps/host/src/forwarder/checked-request.ts';
import { endToEnd } from '../../../packages/tunnel/src/http/hop-headers.ts';
import { readBody } from '../../../packages/tunnel/src/http/http-body.ts';
import { requestFraming, responseFraming } from '../../../packages/tunnel/src/http/http-framing.ts';
import { parseRequestHead, parseResponseHead } from '../../../packages/tunnel/src/http/http-head.ts';
import { readHead, readResponseHead } from '../../../packages/tunnel/src/read-head.ts';
import { authenticate, requestConnection } from '../../../packages/tunnel/src/socks5.ts';
import { parseTarget } from '../../../packages/tunnel/src/target.ts';
import { bytesOf, type Reader } from '../reader.ts';

const request = ['GET / HTTP/1.1\r\n', '\r\n\r\n'] as const;
const response = ['HTTP/1.1 200 OK\r\n', '\r\n\r\n'] as const;
const headTokens = [':', 'A: b\r\n', 'Host: a\r\n', ';', '\r', 'HTTP/1.1 200 ', ', '];
/** A socket's bytes cost more than a text's. */
const maxSocketSize = 2 ** 14;
/** More than any input has. */
const maxHeads = 2 ** 16;

export const tunnelReaders: Reader[] = [
  {
    name: 'request head',
    tokens: headTokens,
    around: [['', ''], request, ['GET / HTTP/1.1\r\nA:', '\x01\r\n\r\n'], ['GET /', ' HTTP/1.1\r\n\r\n']],
    read: parseRequestHead,
  },
  {
    name: 'response head',
    tokens: headTokens,
    around: [['', ''], response, ['HTTP/1.1 200 OK\r\nA:', '\x01\r\n\r\n'], ['HTTP/1.1 ', '\r\n\r\n']],
    read: parseResponseHead,
  },
  {
    name: 'request framing',
    tokens: ['1,', 'chunked,'],
    read: (text) => [
      tried(() => requestFraming(['Content-Length', text], 1)),
      requestFraming(['Transfer-Encoding', text], 1),
    ],
  },
  {
    name: 'response framing',
    tokens: ['1,', ' ,', 'chunked,'],
    around: [['1', '1']],
    read: (text) => [
      tried(() => responseFraming({ status: 200, minor: 1, headers: ['Content-Length', text] }, 'GET')),
      responseFraming({ status: 200, minor: 1, headers: ['Transfer-Encoding', text] }, 'GET'),
    ],
  },
  {
    name: 'hop headers',
    tokens: ['a,', 'close, '],
    read: (text) => endToEnd(['Connection', text, 'a', 'b']),
  },
  { name: 'target', tokens: ['a:', '[', ']', ':1'], read: parseTarget },
  {
    name: 'heads of a connection',
    tokens: ['\r\n\r\n', '\n\n', 'A\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n'],
    maxSize: maxSocketSize,
    read: (text) =>
      overSocket(text, async (connection) => {
        for (let i = 0; i < maxHeads && (await readHead(connection, 2 ** 18)) !== undefined; i++);
      }),
  },
  {
    name: 'answers of a connection',
    tokens: ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'],
    maxSize: maxSocketSize,
    read: (text) =>
      overSocket(text, async (connection) => {
        for (let i = 0; i < maxHeads; i++) await readResponseHead(connection);
      }),
  },
  {
    name: 'chunks of a connection',
    tokens: ['1\r\na\r\n', '1;a=b\r\na\r\n', '0\r\n\r\n', ';', 'a;'],
    around: [
      ['', ''],
      ['1', '\r\na\r\n0\r\n\r\n'],
      ['0\r\n', '\r\n\r\n'],
    ],
    maxSize: maxSocketSize,
    read: (text) =>
      overSocket(text, (connection) => readBody(connection, { kind: 'chunked' }, async () => {})),
  },
  {
    name: 'SOCKS answers',
    tokens: ['\x05\x00', '\x05\x00\x00\x03\xff', '\x05\x02\x01\x00'],
    maxSize: maxSocketSize,
    read: (text) =>
      overSocket(text, async (connection) => {
        await authenticate(connection, { username: 'a', password: 'b' });
        for (let i = 0; i < maxHeads; i++) await requestConnection(connection, { host: 'a.test', port: 1 });
      }),
  },
  {
    name: 'proxy URL',
    tokens: ['http://', ':', '@', '[', ']', '%41', '/', 'socks5://'],
    around: [
      ['', ''],
      ['http://', ''],
      ['http://u:', '@a.test:1'],
      ['http://', ':p@a.test:1'],
    ],
    read: parseProxyUrl,
  },
  {
    name: 'proxy user name',
    tokens: ['-', '-product-', 'country-us', 'a-product-residential-'],
    read: parseProxyUser,
  },
  { name: 'host name', tokens: ['.', '-', 'a.', 'xn--', '[', ':'], read: normalHost },
  {
    name: 'host pattern',
    tokens: ['*', '*.', '.', 'a.', '[', ':'],
    read: (text) => {
      const pattern = parseHostPattern(text);
      return pattern && hostMatcher([pattern])('a.test');
    },
  },
  {
    name: 'request of a browser',
    tokens: ['http://', ':', '@', '/', '['],
    around: [
      ['', ''],
      ['http://', '/'],
    ],
    read: (target) => {
      const headers = ['Host', target];
      const head = { method: 'GET', target, minor: 1, headers, body: { kind: 'none' } } as const;
      return checkedRequest(head, URL.parse(target) ?? new URL('http://a.test/'), () => undefined);
    },
  },
  { name: 'exit probe', tokens: ['ip=', 'loc=', '1.', ':'], read: parseExit },
];

/** Sends a text over a real connection, and has the other side read it. */
async function overSocket(text: string, read: (connection: Connection) => Promise<unknown>): Promise<void> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sender.on('error', () => {}).resume();
  const [socket] = (await once(server, 'connection')) as [Socket];
  const connection = new Connection(socket);
  sender.end(bytesOf(text));
  await read(connection).catch(() => {});
  connection.destroy();
  sender.destroy();
  server.close();
  await once(server, 'close');
}

/** Runs it, and forgets what it throws: what follows is read as well. */
function tried(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}
