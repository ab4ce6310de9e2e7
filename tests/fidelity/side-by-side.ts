import { once } from 'node:events';
import { createServer } from 'node:http';
import puppeteer, { type Browser } from 'puppeteer-core';
import { expect } from 'vitest';
import { startDirectChromium } from '../fixtures/browsers/direct-chromium.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { startService } from '../fixtures/service/service.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';

/** What a site answers, by path: a type and a body. */
export type Pages = Readonly<Record<string, readonly [type: string, body: string | Buffer]>>;

export interface Opened extends AsyncDisposable {
  /** The CDP endpoint's URL. */
  url: string;
  /** As the status has them. */
  params: any;
}

/** As a client starts one for itself. */
const directFlags = ['--headless=new', '--screen-info={1920x1080}', 'about:blank'];

/** A service whose sessions are compared with a Chromium that nothing of ours is around, on the same site. */
export class SideBySide implements AsyncDisposable {
  readonly origin: string;
  /** Paths that were asked for, oldest first. */
  readonly asked: string[];
  readonly #account: TestAccount;
  readonly #owned: AsyncDisposableStack;

  private constructor(parts: {
    site: Site;
    account: TestAccount;
    owned: AsyncDisposableStack;
  }) {
    this.origin = parts.site.origin;
    this.asked = parts.site.asked;
    this.#account = parts.account;
    this.#owned = parts.owned;
  }

  /** @param env Settings, for a service of its own. */
  static async start(pages: Pages, env?: Record<string, string>): Promise<SideBySide> {
    await using undo = new AsyncDisposableStack();
    const site = undo.use(await startSite(pages));
    const service = undo.use(await (env ? startService({ env }) : sharedService()));
    const account = await service.account({ creates_per_minute: 1000 });
    return new SideBySide({ site, account, owned: undo.move() });
  }

  async session(params: Record<string, string> = {}): Promise<Opened> {
    const opened = await this.#account.connect({ headless: 'true', ...params });
    expect(opened.status, opened.text).toBe(200);
    const id = opened.headers.get('x-session-id') ?? '';
    const status = await this.#account.get(`/api/browser/${id}/status`);
    return {
      url: opened.text,
      params: status.json.browserParams,
      [Symbol.asyncDispose]: async () => void (await this.#account.close(id)),
    };
  }

  /** What the same actions come to, in a new session and in a new Chromium: to be the same. */
  async compare<T>(
    act: (url: string) => Promise<T>,
    params: Record<string, string> = {},
  ): Promise<{ session: T; direct: T }> {
    return { session: await this.#inSession(act, params), direct: await inDirect(act) };
  }

  async #inSession<T>(act: (url: string) => Promise<T>, params: Record<string, string>): Promise<T> {
    await using session = await this.session(params);
    return await act(session.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}

async function inDirect<T>(act: (url: string) => Promise<T>): Promise<T> {
  await using direct = await startDirectChromium({ flags: directFlags });
  return await act(direct.url);
}

/** Acts with Puppeteer, which leaves everything as it is. */
export function withPuppeteer<T>(act: (browser: Browser) => Promise<T>): (url: string) => Promise<T> {
  return async (browserWSEndpoint) => {
    const browser = await puppeteer.connect({ browserWSEndpoint, defaultViewport: null });
    try {
      return await act(browser);
    } finally {
      await browser.disconnect();
    }
  };
}

/** Sends commands on the connection itself, not in a session of its own. */
export async function withCommands<T>(
  url: string,
  act: (send: (method: string, params?: object) => Promise<any>) => Promise<T>,
): Promise<T> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const pending = new Map<number, (message: any) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data));
    pending.get(message.id)?.(message);
  });
  const send = async (method: string, params: object = {}) => {
    const id = pending.size + 1;
    const { promise, resolve } = Promise.withResolvers<any>();
    pending.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await promise;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  try {
    return await act(send);
  } finally {
    socket.close();
    await once(socket, 'close');
  }
}

interface Site extends AsyncDisposable {
  origin: string;
  asked: string[];
}

async function startSite(pages: Pages): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.test');
    asked.push(pathname);
    const [type, body] = pages[pathname] ?? [];
    if (type === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', type).setHeader('cache-control', 'no-cache').end(body);
  });
  const port = await listen(server);
  return {
    origin: `http://localhost:${port}`,
    asked,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}
