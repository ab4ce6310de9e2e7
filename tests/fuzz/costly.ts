import { type Attacker, type Conversation, conversations } from './conversations.ts';
import { frame, opcode, textFrame, upgradeRequest } from './frames.ts';
import type { Random } from './random.ts';

/** A conversation that is made to cost much: long runs of what readers look for, or many small parts. */
export interface CostlyConversation extends Conversation {
  /** What the hostile peer answers meanwhile. */
  answer?: Buffer;
}

const characters = [' ', '\t', 'a', '0', ',', ';', '%', '"', '\\', '/', '=', '-', '.', '['];
const words = [
  ...[
    'eyJ-',
    'Bearer ',
    'password=a&',
    'name="a"\r\n',
    '<input ',
    '//# sourceURL=',
    'puppeteer_',
    '"sessionId":"',
  ],
  ...['"\\u0061":1,', '{"a":', '1, ', 'a=b; ', '%41', 'en-US,', '*.a.test,', 'http://', '@', ':'],
];

function run(random: Random): string {
  const token = random.chance(0.5) ? random.pick(characters) : random.pick(words);
  return token.repeat(Math.ceil((10_000 + random.below(150_000)) / token.length));
}

type Kind = (random: Random, attacker: Attacker) => CostlyConversation;

const kinds: readonly Kind[] = [inHeader, inHeader, inBody, pipelined, devtoolsRun, fragments, costlyAnswer];

export function costlyConversation(random: Random, attacker: Attacker): CostlyConversation {
  return random.pick(kinds)(random, attacker);
}

/** A run in a header, or in the path, of a valid request. */
function inHeader(random: Random, attacker: Attacker): CostlyConversation {
  const { name, at, messages } = random.pick(conversations(attacker).filter(startsWithHead));
  const [first = '', ...rest] = (messages[0] ?? Buffer.alloc(0)).toString('latin1').split('\r\n');
  const header = random.pick([
    'X-Run',
    'Cookie',
    'Authorization',
    'Accept',
    'Content-Length',
    'Connection',
    'Range',
  ]);
  const ending = random.pick(['', '\x01', '1']);
  const lines = random.chance(0.7)
    ? [first, `${header}: 1${run(random)}${ending}`, ...rest]
    : [first.replace(' HTTP/', `${run(random).replaceAll(/[\s"]/g, 'a')} HTTP/`), ...rest];
  return { name: `a run in a header, ${name}`, at, messages: [Buffer.from(lines.join('\r\n'), 'latin1')] };
}

/** A run as a text of a JSON body, or instead of the body. */
function inBody(random: Random, { gatewayUrl, key }: Attacker): CostlyConversation {
  const member = random.pick([
    'proxy',
    'browser_language',
    'metadata',
    'allow_hosts',
    'profile',
    'url',
    'email',
  ]);
  const text = run(random).slice(0, 60_000);
  const body = random.chance(0.3) ? text : JSON.stringify({ proxy: 'http://127.0.0.1:1', [member]: text });
  const path = random.pick([
    '/api/browser/create',
    '/api/browser/close',
    '/user/api/webhooks',
    '/dashboard/api/sign-in',
  ]);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: turnpike',
    `x-api-key: ${key}`,
    'Content-Type: application/json',
  ];
  const bytes = Buffer.from(
    `${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return { name: `a run in a body, ${path}`, at: addressOf(gatewayUrl), messages: [bytes] };
}

/** Many short requests at once, without credentials. */
function pipelined(random: Random, { gatewayUrl, proxyUrl }: Attacker): CostlyConversation {
  // The gateway logs each, so that fewer cost as much.
  const [name, url, target, most] = random.pick([
    ['gateway', gatewayUrl, '/none', 400],
    ['proxy', proxyUrl, 'http://a/', 2000],
  ] as const);
  const requests = `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100 + random.below(most));
  return { name: `pipelined requests, ${name}`, at: addressOf(url), messages: [Buffer.from(requests)] };
}

function devtoolsRun(random: Random, { cdpUrl }: Attacker): CostlyConversation {
  const { pathname, host } = new URL(cdpUrl);
  const text = run(random);
  const params = random.pick<object>([{ expression: text }, { url: text }, { [text.slice(0, 1000)]: text }]);
  const sessionId = random.pick([undefined, 'A'.repeat(32), text]);
  const method = random.pick([
    'Runtime.evaluate',
    'Target.createTarget',
    'Browser.getVersion',
    `Emulation.set${text}`,
  ]);
  const message = textFrame({ id: 1, method, params, ...(sessionId && { sessionId }) });
  return {
    name: 'a run in a DevTools message',
    at: addressOf(cdpUrl),
    messages: [upgradeRequest(pathname, host), message],
  };
}

/** A message in fragments of one byte or none. */
function fragments(random: Random, { cdpUrl }: Attacker): CostlyConversation {
  const { pathname, host } = new URL(cdpUrl);
  const part = frame(Buffer.from(random.pick(['', ' '])), opcode.continuation, false);
  const parts = Array.from({ length: 1000 + random.below(20_000) }, () => part);
  const sent = Buffer.concat([frame(Buffer.from('{'), opcode.text, false), ...parts]);
  return {
    name: 'fragments of one byte',
    at: addressOf(cdpUrl),
    messages: [upgradeRequest(pathname, host), sent],
  };
}

/** A site's answer with a run in a header, of chunks of one byte, or with early answers without end. */
function costlyAnswer(random: Random, attacker: Attacker): CostlyConversation {
  const proxied = conversations(attacker).find(({ name }) => name === 'proxy plain');
  if (!proxied) throw new Error('There is no conversation with the metered proxy.');
  const header = random.pick(['X-Run', 'Content-Length', 'Transfer-Encoding', 'Set-Cookie', 'Connection']);
  const [name, text] = random.pick([
    ['a run in a header', `HTTP/1.1 200 OK\r\n${header}: 1${run(random)}1\r\n\r\n`],
    [
      'chunks of one byte',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20_000)}0\r\n\r\n`,
    ],
    ['early answers', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(5000)],
  ] as const);
  const answer = Buffer.from(text, 'latin1');
  return { name: `a site's answer: ${name}`, at: proxied.at, messages: proxied.messages.slice(0, 1), answer };
}

const startsWithHead = ({ messages }: Conversation): boolean =>
  messages[0]?.includes(' HTTP/1.1\r\n') ?? false;

function addressOf(url: string) {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
