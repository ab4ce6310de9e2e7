import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { asker, type SteadyClient, startSteadyClient } from './steady-client.ts';

watchLeaks();

const all = new AsyncDisposableStack();
const patienceMs = 60_000;
let service: Service;
let site: WebServer;
let account: TestAccount;
let beside: SteadyClient;

beforeAll(async () => {
  site = all.use(await startWebServer());
  const env = { NODE_OPTIONS: `--import ${join(import.meta.dirname, 'endless-loops.ts')}` };
  service = all.use(await startService({ env }));
  account = await service.account();
  const { json } = await (await service.account()).create();
  beside = await startSteadyClient(json.cdpUrl, site.origin, { patienceMs });
});
afterAll(async () => {
  await beside?.stop();
  await all.disposeAsync();
});

/** A session with a page, and what its one client asks. */
async function openSession(params: Record<string, unknown> = {}) {
  const { json } = await account.create(params);
  const socket = new WebSocket(json.cdpUrl);
  await once(socket, 'open');
  const ask = asker(socket, patienceMs);
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId: page } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const evaluate = (expression: string) => void ask('Runtime.evaluate', { expression }, page).catch(() => {});
  return { ...json, socket, ask, evaluate } as {
    browserId: string;
    cdpUrl: string;
    socket: WebSocket;
    ask: typeof ask;
    evaluate: typeof evaluate;
  };
}

type Opened = Awaited<ReturnType<typeof openSession>>;

interface Handler {
  params?: Record<string, unknown>;
  stall(session: Opened): void;
}

/** What tenants can have the host's main thread do, by kind of handler. */
const handlers: Readonly<Record<string, Handler>> = {
  'a message of a client': {
    stall: ({ ask }) => void ask('Target.createTarget', { url: 'endless-loop' }).catch(() => {}),
  },
  'a recorded event': {
    params: { record: true },
    stall: ({ evaluate }) => evaluate(`console.log('endless-loop')`),
  },
  'a request through the forwarder': {
    stall: ({ evaluate }) => evaluate(`fetch('http://endless-loop.example/', { mode: 'no-cors' })`),
  },
  'a request for a file': {
    stall: ({ cdpUrl }) => void fetch(`${cdpUrl.replace('ws:', 'http:')}/files/endless-loop`).catch(() => {}),
  },
};

test.each(Object.keys(handlers))(
  'where %s never ends, its session does, as stalled, and no other',
  { tags: 'slow' },
  async (name) => {
    const { params, stall } = handlers[name] as Handler;
    const session = await openSession(params);
    const closed = once(session.socket, 'close');
    stall(session);
    const [code] = await closed;
    expect(code).toBe(4002);
    const ended = async () => {
      const { sessions } = (await account.get('/user/api/sessions')).json;
      return sessions.find(({ browserId }: { browserId: string }) => browserId === session.browserId);
    };
    await expect.poll(ended).toMatchObject({ status: 'DEAD', endReason: 'stalled' });
    await beside.answers(6);
    expect(service.logs()).toContain(`session ${session.browserId}`);
  },
);

test('where a request to the gateway never ends, its connection does, and nothing else', async () => {
  await expect(account.post('/api/browser/create', { proxy: 'endless-loop body' })).rejects.toThrow();
  await beside.answers(6);
  expect(service.logs()).toMatch(/request [\w-]+: POST \/api\/browser\/create/);
});
