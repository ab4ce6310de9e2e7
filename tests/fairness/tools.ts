import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { accountCalls } from '../fixtures/gateway/gateway.ts';
import { listen } from '../fixtures/network/listen.ts';
import { Random } from '../fuzz/random.ts';
import type { AttackTools, HostileSite, SessionKind } from './attack.ts';
import { Cdp } from './cdp.ts';

export interface AttackerOptions {
  gatewayUrl: string;
  proxyUrl: string;
  key: string;
  /** The metered proxy with the attacker's login. */
  proxy: string;
  seed: number;
  scale: number;
}

const kinds: Record<SessionKind, object> = {
  plain: {},
  recorded: { record: true, record_bodies: true },
  stealth: { stealth: true },
};

interface AttackerSession {
  id: string;
  page: Cdp;
}

export interface Attacker extends AttackTools, AsyncDisposable {
  sentBytes: number;
}

/** Prepares an attacker: its site listens, and it has a session of each kind. */
export async function prepareAttacker(options: AttackerOptions): Promise<Attacker> {
  const { gatewayUrl, proxyUrl, key, proxy, scale } = options;
  const account = accountCalls(gatewayUrl, key, proxy);
  const site = await startHostileSite();
  const sessions = new Map<SessionKind, Promise<AttackerSession>>();
  const session = async (kind: SessionKind) => {
    const known = await sessions.get(kind);
    if (known?.page.isOpen) return known;
    if (known) await account.close(known.id);
    const opening = openSession(kind);
    sessions.set(kind, opening);
    return opening;
  };
  const openSession = async (kind: SessionKind): Promise<AttackerSession> => {
    const { status, json, text } = await account.create({ headless: true, ...kinds[kind] });
    if (status !== 200) throw new Error(`The attacker's session did not open: ${status} ${text}`);
    const cdp = await Cdp.connect(json.cdpUrl);
    // What its clients send is counted for the rows.
    const send = cdp.send.bind(cdp);
    cdp.send = (message) => {
      attacker.sent(message.length);
      send(message);
    };
    return { id: json.browserId, page: await cdp.open(`${site.origin}/page`) };
  };
  const attacker: Attacker = {
    account,
    gatewayUrl,
    proxyUrl,
    site,
    scale,
    sentBytes: 0,
    random: new Random(options.seed),
    scaled: (count) => Math.max(1, Math.round(count * scale)),
    page: async (kind) => (await session(kind)).page,
    sessionId: async (kind) => (await session(kind)).id,
    sent(bytes) {
      attacker.sentBytes += bytes;
    },
    async raw(url, bytes, { reads = true, ms = 2000 } = {}) {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      if (reads) socket.resume();
      attacker.sent(bytes.length);
      socket.end(bytes);
      await Promise.race([once(socket, 'close').catch(() => {}), delay(ms)]);
      socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const opened of sessions.values()) {
        const { id, page } = await opened;
        page[Symbol.dispose]();
        await account.close(id).catch(() => {});
      }
      await site[Symbol.asyncDispose]();
    },
  };
  await Promise.all(Object.keys(kinds).map((kind) => session(kind as SessionKind)));
  return attacker;
}

const page = '<!doctype html><title>A site</title>';
const maxHeadBytes = 2 ** 20;

/** A site that answers as it is told, or with an empty page. */
async function startHostileSite(): Promise<HostileSite> {
  const answers: HostileSite['answers'] = new Map();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let head = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      if (head.length < maxHeadBytes) head += text;
      const name = /^\S+ \/(\w*)/.exec(head)?.[1];
      if (name === undefined || !head.includes('\r\n\r\n')) return;
      head = '';
      const answer = answers.get(name);
      if (answer) answer(socket);
      else
        socket.end(
          `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n${page}`,
        );
    });
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    answers,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
