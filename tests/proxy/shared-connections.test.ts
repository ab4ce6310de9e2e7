import { once } from 'node:events';
import type { Socket } from 'node:net';
import { parseProductMap } from '@turnpike/tunnel/addresses/product-map';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { suspendAccount } from '../../apps/gateway/src/accounts/manage-account.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { RawClient, type RawServer, rawServer } from '../fixtures/network/raw-sockets.ts';
import { sample } from '../fixtures/service/metrics.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { loginHeader, type Metered, startMetered } from './metered.ts';

watchLeaks();

interface NumberedTarget extends RawServer {
  /** Heads, as they came. */
  heads: string[];
}

/** What a target sends for a request. `number`: of the connection, from 1; `count`: of the request on it. */
type Answer = (asked: { number: number; count: number; head: string; socket: Socket }) => string;

const numberOf: Answer = ({ number }) =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${`${number}`.length}\r\n\r\n${number}`;

/** Answers each request with the number of its connection, or with something else. It ignores bodies. */
async function numberedTarget(answer: Answer = numberOf): Promise<NumberedTarget> {
  const heads: string[] = [];
  let connections = 0;
  const server = await rawServer((socket) => {
    connections += 1;
    const number = connections;
    let count = 0;
    let text = '';
    socket.on('end', () => socket.end());
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end + 4);
        text = text.slice(end + 4);
        heads.push(head);
        count += 1;
        const bytes = answer({ number, count, head, socket });
        if (socket.writable) socket.write(bytes, 'latin1');
      }
    });
  });
  return { ...server, heads, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

let undo: AsyncDisposableStack;
let metered: Metered;
let account: TestAccount;

beforeEach(async () => {
  undo = new AsyncDisposableStack();
  metered = undo.use(await startMetered());
  account = await metered.account();
});
afterEach(() => undo.disposeAsync());

interface Asked {
  method?: string;
  who?: TestAccount;
  options?: string;
  minor?: 0 | 1;
  headers?: string;
  body?: string;
}

/** One request of a new client. Resolves with all that it gets, when the proxy has closed its connection. */
async function ask(
  { port }: { port: number },
  { method = 'GET', who = account, options = '', minor = 1, headers = '', body = '' }: Asked = {},
): Promise<string> {
  using client = await RawClient.connect(metered.port);
  const login = loginHeader(who, options);
  const length = body ? `Content-Length: ${body.length}\r\n` : '';
  client.send(
    `${method} http://127.0.0.1:${port}/ HTTP/1.${minor}\r\nHost: x\r\n${login}${headers}${length}Connection: close\r\n\r\n${body}`,
  );
  return await client.untilClosed();
}

/** The number of the connection that a new client's request was carried on. */
async function connectionOf(target: { port: number }, asked?: Asked): Promise<number> {
  return Number(/\r\n\r\n(?:1\r\n)?(\d+)/.exec(await ask(target, asked))?.[1]);
}

describe('a connection to a target', () => {
  test('carries requests of the same account’s next clients, HTTP/1.0 as well', async () => {
    await using target = await numberedTarget();
    const numbers = [];
    for (const minor of [1, 0, 0, 1] as const) numbers.push(await connectionOf(target, { minor }));
    expect(numbers).toEqual([1, 1, 1, 1]);
  });

  test('is never another account’s', async () => {
    await using target = await numberedTarget();
    const other = await metered.account();
    const numbers = [];
    for (const who of [account, other, account, other]) numbers.push(await connectionOf(target, { who }));
    expect(numbers).toEqual([1, 2, 1, 2]);
  });

  test('is for one client at a time', async () => {
    const asked = Promise.withResolvers<Socket>();
    await using target = await numberedTarget((request) => {
      if (!request.head.includes('X-Wait')) return numberOf(request);
      asked.resolve(request.socket);
      return '';
    });
    expect(await connectionOf(target)).toBe(1);
    const waiting = ask(target, { headers: 'X-Wait: 1\r\n' });
    const held = await asked.promise;
    expect(await connectionOf(target)).toBe(2);
    held.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1');
    expect(await waiting).toMatch(/\r\n\r\n1$/);
  });

  test('is left by a client that stays, when it goes elsewhere or leaves', async () => {
    await using target = await numberedTarget();
    await using elsewhere = await numberedTarget();
    using client = await RawClient.connect(metered.port);
    const get = (port: number) =>
      client.send(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}\r\n`);
    get(target.port);
    await client.until(/\r\n\r\n1$/);
    expect(await connectionOf(target)).toBe(2);
    get(elsewhere.port);
    await client.until(/1HTTP[\s\S]+\r\n\r\n1$/);
    expect(await connectionOf(target)).toBe(1);
    client.socket.destroy();
    await expect.poll(() => sample(metered.observation, 'turnpike_proxy_connections')).toBe(0);
    expect(await connectionOf(elsewhere)).toBe(1);
  });

  const answers: [string, string][] = [
    ['in HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n'],
    ['that announces a close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n'],
    ['with both framings', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n'],
  ];
  test.each(answers)('is not used again after an answer %s', async (_name, head) => {
    const end = head.includes('chunked') ? '\r\n0\r\n\r\n' : '';
    await using target = await numberedTarget(({ number }) => `${head}${number}${end}`);
    expect([await connectionOf(target), await connectionOf(target)]).toEqual([1, 2]);
  });

  test('is not used again when the answer is longer than it says', async () => {
    await using target = await numberedTarget((asked) => `${numberOf(asked)}HTTP/1.1 200 OK\r\n\r\n`);
    expect([await connectionOf(target), await connectionOf(target)]).toEqual([1, 2]);
  });

  test.each(['GET', 'POST'])('is not used again after a %s with a body', async (method) => {
    await using target = await numberedTarget();
    const body = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    expect([await connectionOf(target, { method, body }), await connectionOf(target)]).toEqual([1, 2]);
  });

  test('that may be signed in is not another client’s', async () => {
    await using target = await numberedTarget();
    const signIn = { headers: 'Authorization: NTLM TlRMTVNTUAAB\r\n' };
    expect([await connectionOf(target, signIn), await connectionOf(target)]).toEqual([1, 2]);
    expect([await connectionOf(target, signIn), await connectionOf(target)]).toEqual([2, 3]);
  });

  test.each([
    ['a byte', (far: Socket) => far.write('x')],
    ['an end', (far: Socket) => far.end()],
    ['a reset', (far: Socket) => far.resetAndDestroy()],
  ])('that receives %s while it is idle is not used again', async (_name, send) => {
    await using target = await numberedTarget();
    expect(await connectionOf(target)).toBe(1);
    const [far] = target.sockets;
    if (!far) throw new Error('the connection was not kept');
    const gone = once(far, 'close');
    send(far);
    await gone;
    expect(await connectionOf(target)).toBe(2);
  });

  test('of an operator’s upstream proxy stays with its client, so that another has another exit', async () => {
    await using upstream = await numberedTarget();
    const products = parseProductMap(
      `{"residential":"direct","rotating-isp":{"upstreams":[{"url":"http://127.0.0.1:${upstream.port}"}]}}`,
    );
    metered = undo.use(await startMetered('sqlite', { products }));
    account = await metered.account();
    const options = '-product-rotating-isp';
    const numbers = [];
    for (let i = 0; i < 2; i++) numbers.push(await connectionOf({ port: 80 }, { options }));
    expect(numbers).toEqual([1, 2]);
  });

  test('is closed when its account is suspended, and when the proxy stops', async () => {
    await using target = await numberedTarget();
    const other = await metered.account();
    await connectionOf(target);
    const [far] = target.sockets;
    await connectionOf(target, { who: other });
    expect(target.sockets.size).toBe(2);
    await suspendAccount(metered.gateway.running.gateway.db, account.email);
    await expect.poll(() => far?.destroyed).toBe(true);
    await undo.disposeAsync();
    await expect.poll(() => target.sockets.size).toBe(0);
  });
});

describe('a request on a connection that is dropped just then', () => {
  const dropSecond: Answer = (asked) => {
    if (asked.number > 1 || asked.count < 2) return numberOf(asked);
    asked.socket.resetAndDestroy();
    return '';
  };

  test.each(['GET', 'HEAD', 'OPTIONS'])('is repeated on a new one if it is a %s', async (method) => {
    await using target = await numberedTarget((asked) =>
      method === 'HEAD' ? dropSecond(asked).replace(/\d$/, '') : dropSecond(asked),
    );
    await ask(target, { method });
    expect(await ask(target, { method })).toMatch(/^HTTP\/1\.1 200 /);
    expect(target.heads).toHaveLength(3);
  });

  test.each(['POST', 'DELETE'])(
    'is not there to be repeated if it is a %s: it has a new one',
    async (method) => {
      await using target = await numberedTarget(dropSecond);
      expect([await connectionOf(target), await connectionOf(target, { method })]).toEqual([1, 2]);
      expect(target.heads.map((head) => head.split(' ')[0])).toEqual(['GET', method]);
    },
  );

  test('is a 502 if it is a DELETE of a client that stayed', async () => {
    await using target = await numberedTarget(dropSecond);
    using client = await RawClient.connect(metered.port);
    const rest = ` http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account)}\r\n`;
    client.send(`GET${rest}`);
    await client.until(/\r\n\r\n1$/);
    client.send(`DELETE${rest}`);
    expect(await client.until(/502/)).toContain('HTTP/1.1 502 ');
    expect(target.heads).toHaveLength(2);
  });
});

test('bytes belong to the request that caused them, also on a connection that others have used', async () => {
  await using target = await numberedTarget();
  const sizes = new Map<string, number>();
  for (const options of ['', '-product-rotating-isp', '', '-product-rotating-dc-country-br']) {
    const request = `GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\n${loginHeader(account, options)}Connection: close\r\n\r\n`;
    using client = await RawClient.connect(metered.port);
    client.send(request);
    const text = await client.untilClosed();
    expect(text).toMatch(/\r\n\r\n1$/);
    const product = /rotating-\w+/.exec(options)?.[0] ?? 'residential';
    sizes.set(product, (sizes.get(product) ?? 0) + request.length + text.length);
  }
  await metered.proxy.report();
  for (const [product, size] of sizes) expect(await metered.counted(account, product)).toBe(size);
});

test('a target gets an HTTP/1.0 client’s request in HTTP/1.1, and the client no chunks', async () => {
  await using target = await numberedTarget(
    () => 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n',
  );
  for (let i = 0; i < 2; i++) {
    const text = await ask(target, { minor: 0 });
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n\r\nhello!$/);
    expect(target.heads.at(-1)).toMatch(/^GET \/ HTTP\/1\.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n$/);
  }
  expect(target.sockets.size).toBe(1);
});
