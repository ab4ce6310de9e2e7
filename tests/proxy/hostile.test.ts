import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { RawClient, rawServer } from '../fixtures/network/raw-sockets.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { sample } from '../fixtures/service/metrics.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { loginHeader, type Metered, startMetered } from './metered.ts';

watchLeaks({ wholeFile: true });

let undo: AsyncDisposableStack;
let metered: Metered;
let web: WebServer;
let account: TestAccount;

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  web = undo.use(await startWebServer());
  metered = undo.use(await startMetered());
  account = await metered.account();
});
afterAll(() => undo.disposeAsync());

const client = () => RawClient.connect(metered.port);

/** The proxy still does its work, and nothing it did was a surprise to it. */
async function expectUnharmed(): Promise<void> {
  using other = await client();
  other.send(
    `GET ${web.origin}/bytes/4 HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}Connection: close\r\n\r\n`,
  );
  expect(await other.untilClosed()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n[\s\S]{4}$/);
  expect(await sample(metered.observation, 'turnpike_proxy_connection_failures_total')).toBe(0);
}

function socksHello(port: number): Buffer {
  const user = Buffer.from(account.proxyUser);
  const password = Buffer.from(account.proxyPassword);
  return Buffer.concat([
    Buffer.from([5, 1, 2, 1, user.length]),
    user,
    Buffer.from([password.length]),
    password,
    Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255]),
  ]);
}

const tunnels: [string, (port: number) => Promise<RawClient>][] = [
  [
    'CONNECT',
    async (port) => {
      const opened = await client();
      opened.send(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}\r\n`);
      await opened.until(/\r\n\r\n/);
      return opened;
    },
  ],
  [
    'SOCKS',
    async (port) => {
      const opened = await client();
      opened.send(socksHello(port));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: SOCKS speaks in bytes.
      await opened.until(/^\x05\x02\x01\x00\x05\x00[\s\S]{8}/);
      return opened;
    },
  ],
];

describe.each(tunnels)('a tunnel by %s', (_name, open) => {
  test("ends alone when the target answers the client's end with a reset", async () => {
    await using target = await rawServer((socket) =>
      socket.on('end', () => socket.resetAndDestroy()).resume(),
    );
    using opened = await open(target.port);
    opened.socket.end('x');
    await opened.untilClosed();
    await expectUnharmed();
  });

  test('ends alone when the client is gone and the target resets', async () => {
    const arrived = Promise.withResolvers<Socket>();
    await using target = await rawServer((socket) => arrived.resolve(socket));
    const opened = await open(target.port);
    const far = await arrived.promise;
    opened.socket.destroy();
    far.write('x'.repeat(100_000));
    far.resetAndDestroy();
    await once(far, 'close');
    await expectUnharmed();
  });

  test('ends alone when the client resets while the target is sending', async () => {
    await using target = await rawServer((socket) => {
      const send = () => void (socket.writable && socket.write('x'.repeat(65_536), send));
      send();
    });
    const opened = await open(target.port);
    await opened.until(/xxxx/);
    opened.socket.resetAndDestroy();
    await expect.poll(() => target.sockets.size).toBe(0);
    await expectUnharmed();
  });

  test("carries on after the client's end until the target's", async () => {
    await using target = await rawServer((socket) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => socket.end(`got ${text}`));
    });
    using opened = await open(target.port);
    opened.socket.end('all of it');
    expect(await opened.untilClosed()).toMatch(/got all of it$/);
  });
});

describe('an answer', () => {
  const answers: [string, string, RegExp][] = [
    [
      'a control character for a reason',
      'HTTP/1.1 200 \x01\r\nContent-Length: 2\r\n\r\nok',
      /^HTTP\/1\.1 200 \r\n[\s\S]*ok$/,
    ],
    ['no reason at all', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', /^HTTP\/1\.1 200 \r\n[\s\S]*ok$/],
    [
      'control characters in a header',
      'HTTP/1.1 200 OK\r\nX-A: a\x00\x07b\r\nContent-Length: 2\r\n\r\nok',
      /X-A: ab\r\n[\s\S]*ok$/,
    ],
    [
      'bare line feeds',
      'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
      /^HTTP\/1\.1 200 OK\r\nContent-Length: 2\r\n\r\nok$/,
    ],
    [
      'a folded line and a line without a name',
      'HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nnonsense\r\nContent-Length: 2\r\n\r\nok',
      /200 OK\r\nX-A: a b\r\nContent-Length: 2\r\n\r\nok$/,
    ],
    [
      'a length beside chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      /200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n$/,
    ],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
      /^HTTP\/1\.1 502 /,
    ],
    [
      'a coding that nobody knows',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      /^HTTP\/1\.1 502 /,
    ],
    ['a status that is none', 'HTTP/1.1 007 Bond\r\n\r\n', /^HTTP\/1\.1 502 /],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', /^HTTP\/1\.1 502 /],
  ];
  test.each(answers)('with %s is passed on clean, or refused', async (_name, bytes, expected) => {
    await using target = await rawServer((socket) =>
      socket.once('data', () => socket.write(bytes, 'latin1')),
    );
    using asking = await client();
    asking.send(`GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}\r\n`);
    expect(await asking.until(expected)).toMatch(expected);
    await expectUnharmed();
  });

  test('that is cut short is cut short for the client: by an end, and by a reset', async () => {
    for (const cut of ['end', 'resetAndDestroy'] as const) {
      await using target = await rawServer((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
          setImmediate(() => socket[cut]());
        });
      });
      using asking = await client();
      asking.send(`GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}\r\n`);
      expect(await asking.untilClosed()).not.toContain('502');
    }
    await expectUnharmed();
  });
});

describe('what is sent without end', () => {
  test('is refused where it is interim answers', async () => {
    await using target = await rawServer((socket) => {
      const send = () => void (socket.writable && socket.write('HTTP/1.1 102 Processing\r\n\r\n', send));
      socket.once('data', send);
    });
    using asking = await client();
    asking.send(
      `GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}Connection: close\r\n\r\n`,
    );
    const text = await asking.until(/502 /);
    expect(text.split('102 Processing').length - 1).toBe(101);
    await expect.poll(() => target.sockets.size).toBe(0);
    await expectUnharmed();
  });

  test('lets others be served in between: requests of a stranger, and chunks of one byte', async () => {
    await using target = await rawServer((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'));
      const send = () => void (socket.writable && socket.write('1\r\nx\r\n'.repeat(10_000), send));
      socket.once('data', send);
    });
    const attacker = await metered.account();
    using reading = await client();
    reading.socket.pause().removeAllListeners('data');
    reading.socket.resume();
    reading.send(`GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(attacker)}\r\n`);
    using stranger = await client();
    stranger.socket.removeAllListeners('data');
    stranger.socket.resume();
    const flood = () =>
      void (stranger.socket.writable && stranger.socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(3000), flood));
    flood();
    for (let i = 0; i < 5; i++) await expectUnharmed();
    expect([reading.closed, stranger.closed]).toEqual([false, false]);
  });
});

/** Answers heads and ignores bodies, as Python's `http.server` does with those of GET. */
function bodiless(seen: string[]) {
  return rawServer((socket) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const path = text.split(' ')[1] ?? '';
        seen.push(path);
        text = text.slice(end + 4);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
      }
    });
  });
}

describe('a request', () => {
  test.each(['GET', 'POST'])(
    'hidden in the body of a %s is nobody’s answer, not even its own sender’s',
    async (method) => {
      const seen: string[] = [];
      await using target = await bodiless(seen);
      const other = await metered.account();
      const url = `http://127.0.0.1:${target.port}`;
      const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
      using attacker = await client();
      attacker.send(
        `${method} ${url}/open HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
      );
      await attacker.until(/\/open$/);
      using victim = await client();
      victim.send(`GET ${url}/victim HTTP/1.1\r\nHost: x\r\n${loginHeader(other)}\r\n`);
      expect(await victim.until(/\r\n\r\n\/\w+/)).toMatch(/\r\n\r\n\/victim$/);
      attacker.send(`GET ${url}/own HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}\r\n`);
      expect(await attacker.until(/\/open[\s\S]+\r\n\r\n\/\w+/)).toMatch(/\r\n\r\n\/own$/);
    },
  );

  const refused: [string, string][] = [
    ['both framings', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello'],
    ['a list of lengths', 'Content-Length: 5, 5\r\n\r\nhello'],
    ['a length with a sign', 'Content-Length: +5\r\n\r\nhello'],
    ['a coding that is almost chunked', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a second coding', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a space before a colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a folded line', 'X-A: a\r\n b\r\n\r\n'],
    ['a bare line feed', 'X-A: a\nContent-Length: 5\r\n\r\nhello'],
    ['a bare carriage return', 'X-A: a\rb\r\n\r\n'],
    ['a NUL', 'X-A: a\0b\r\n\r\n'],
    ['a line without a name', ': a\r\n\r\n'],
    ['two hosts', 'Host: y\r\n\r\n'],
    ['a chunk without a size', 'Transfer-Encoding: chunked\r\n\r\nxyz\r\n'],
    ['a chunk that is longer than its size', 'Transfer-Encoding: chunked\r\n\r\n2\r\nokmore\r\n0\r\n\r\n'],
  ];
  test.each(refused)('with %s is a 400', async (_name, rest) => {
    await using target = await rawServer((socket) => socket.resume());
    using sender = await client();
    sender.send(
      `POST http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}${rest}`,
    );
    expect(await sender.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 400 /);
    await expectUnharmed();
  });

  test('with a body in chunks arrives in chunks, without extensions and trailers', async () => {
    let text = '';
    await using target = await rawServer((socket) => {
      socket.setEncoding('latin1').on('data', (chunk) => {
        text += chunk;
        if (text.endsWith('0\r\n\r\n')) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    using sender = await client();
    sender.send(
      `POST http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}Transfer-Encoding: chunked\r\n\r\n`,
    );
    sender.send('5;a=b\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n');
    expect(await sender.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 204 /);
    expect(text).toMatch(/\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/);
    expect(text).not.toMatch(/proxy-authorization/i);
  });

  test('that waits for 100 Continue is told so by the target', async () => {
    await using target = await rawServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
      });
    });
    using sender = await client();
    sender.send(
      `PUT http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    );
    await sender.until(/100 Continue/);
    sender.send('ok');
    expect(await sender.until(/200 OK/)).toContain('200 OK');
  });
});

test('bytes are those of the request that caused them: of pipelined ones with other products, each its own', async () => {
  const owner = await metered.account();
  const big = `GET ${web.origin}/bytes/2000000 HTTP/1.1\r\nHost: x\r\n${loginHeader(owner)}\r\n`;
  const small = `GET ${web.origin}/bytes/10 HTTP/1.1\r\nHost: x\r\n${loginHeader(owner, '-product-rotating-isp-country-br')}Connection: close\r\n\r\n`;
  using sender = await client();
  sender.send(big + small);
  const text = await sender.untilClosed();
  const second = text.lastIndexOf('HTTP/1.1 200 OK');
  await metered.proxy.report();
  expect(await metered.counted(owner, 'residential')).toBe(big.length + second);
  expect(await metered.counted(owner, 'rotating-isp')).toBe(small.length + text.length - second);
});
