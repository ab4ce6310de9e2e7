import type { HostConfig } from '@turnpike/host/config';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { newRequest, startTestHost, type TestHost } from '../../apps/host/src/testing/test-host.ts';
import { type LocalProxy, startLocalProxy } from './local-proxy.ts';

/** A session that is looked at, seen from its owner's side. */
export interface Watched {
  sessionId: string;
  /** The URL of the live view's page. */
  viewUrl: string;
  /** The URL of its WebSocket. */
  socketUrl: string;
  /** The session's own browser, over CDP. */
  browser: Browser;
  page: Page;
}

/** A host, and a browser on the other side of its live views: a headless session of the same host. */
export class LiveViewHarness implements AsyncDisposable {
  readonly #undo = new AsyncDisposableStack();
  readonly running: TestHost;
  readonly tunnel: LocalProxy;
  readonly viewers: BrowserContext;

  private constructor(running: TestHost, tunnel: LocalProxy, viewers: BrowserContext) {
    this.running = running;
    this.tunnel = tunnel;
    this.viewers = viewers;
  }

  static async open(config: Partial<HostConfig> = {}): Promise<LiveViewHarness> {
    await using undo = new AsyncDisposableStack();
    const tunnel = undo.use(await startLocalProxy());
    const running = undo.use(await startTestHost(config));
    const { url } = await running.open(newRequest(tunnel.proxy, { lifetimeMs: 600_000 }));
    const browser = await chromium.connectOverCDP(url);
    undo.defer(() => browser.close());
    const viewport = { width: 1280, height: 800 };
    const viewers = await browser.newContext({
      viewport,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const harness = new LiveViewHarness(running, tunnel, viewers);
    harness.#undo.use(undo.move());
    return harness;
  }

  /** A headful session with a page that shows what it is given. */
  async watched({ html = notepad } = {}): Promise<Watched> {
    const request = newRequest(this.tunnel.proxy, { headless: false, lifetimeMs: 600_000 });
    request.params.vnc = true;
    const { viewer } = await this.running.host.open(request, new AbortController().signal);
    if (!viewer) throw new Error('no viewer');
    const { publicUrl } = this.running.host;
    const browser = await chromium.connectOverCDP(`${publicUrl}/cdp/${request.cdpId}`);
    const page = browser.contexts()[0]?.pages()[0] as Page;
    await page.setContent(html);
    return {
      sessionId: request.sessionId,
      viewUrl: `${publicUrl.replace(/^ws/, 'http')}/vnc/${request.viewerToken}`,
      socketUrl: `${publicUrl}/vnc/${request.viewerToken}/socket`,
      browser,
      page,
    };
  }

  /** Opens a live view, and resolves when it shows something. */
  async view(url: string, { platform }: { platform?: string } = {}): Promise<Page> {
    const page = await this.viewers.newPage();
    if (platform)
      await page.addInitScript(`Object.defineProperty(navigator, 'platform', { value: '${platform}' })`);
    await page.goto(url);
    await page.locator('body[data-state="connected"] canvas').waitFor();
    return page;
  }

  async closeViews(): Promise<void> {
    await Promise.all(this.viewers.pages().map((page) => page.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }
}

/** A text field as large as the page, so that a click in the middle of the picture is a click in it. */
export const notepad = `<!doctype html><title>notepad</title>
<textarea autofocus style="position:fixed;inset:0;width:100%;height:100%;border:0;font:40px sans-serif"
  onclick="this.dataset.clicks = Number(this.dataset.clicks ?? 0) + 1"></textarea>`;

export const written = (page: Page): Promise<string> => page.locator('textarea').inputValue();
export const selected = (page: Page): Promise<string> =>
  page.evaluate(
    "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.querySelector('textarea'))",
  );
export const clicks = (page: Page): Promise<number> =>
  page.evaluate("Number(document.querySelector('textarea').dataset.clicks ?? 0)");
