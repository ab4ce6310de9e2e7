import type { Attack, AttackTools } from '../attack.ts';

const spaces = (count: number) => ' '.repeat(count);

/** Asks the attacker's site for a path, through the metered proxy. */
function ask({ account, raw, site }: AttackTools, path: string): Promise<void> {
  const { username, password, origin } = new URL(account.proxy);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    'base64',
  );
  const head = [
    `GET ${site.origin}/${path} HTTP/1.1`,
    `Host: ${new URL(site.origin).host}`,
    `Proxy-Authorization: Basic ${login}`,
  ];
  return raw(origin, `${head.join('\r\n')}\r\n\r\n`);
}

export const proxyAttacks: Attack[] = [
  {
    row: 2,
    name: 'a site answers with a Content-Length of spaces',
    async play(tools) {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: 1${spaces(tools.scaled(250_000))}1\r\n\r\n`;
      tools.site.answers.set('spaces', (socket) => {
        tools.sent(head.length);
        socket.end(head);
      });
      await ask(tools, 'spaces');
    },
  },
  {
    row: 4,
    name: 'pipelined requests without credentials',
    play: ({ raw, proxyUrl, scaled }) =>
      raw(proxyUrl, 'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(scaled(15_000))),
  },
  {
    row: 5,
    name: 'a header of spaces without credentials',
    play: ({ raw, proxyUrl, scaled }) =>
      raw(proxyUrl, `GET http://a.test/ HTTP/1.1\r\nA:${spaces(scaled(64_000))}\x01\r\n\r\n`),
  },
  {
    row: 6,
    name: 'a site answers 1xx, and in chunks of one byte',
    async play(tools) {
      const early = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(tools.scaled(40_000));
      const chunks = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(tools.scaled(150_000))}0\r\n\r\n`;
      for (const [name, bytes] of [
        ['early', early],
        ['chunks', chunks],
      ] as const) {
        tools.site.answers.set(name, (socket) => {
          tools.sent(bytes.length);
          socket.end(bytes);
        });
        await ask(tools, name);
      }
    },
  },
];
