import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { inviteAccount } from '../../apps/gateway/src/users/links.ts';
import { startDirectChromium } from '../../bench/direct-chromium.ts';
import type { TestAccount, TestGateway } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import {
  type MadeUpRecording,
  type MakeOptions,
  makeUpRecording,
} from '../fixtures/recordings/made-up-recording.ts';
import { recordedPages } from '../fixtures/recordings/recorded-pages.ts';
import { keptIn, storeRecording } from '../fixtures/recordings/stored-recordings.ts';
import { password } from './browser-harness.ts';
import { startDashboardHarness } from './harness.ts';
import { tokenOf } from './visitor.ts';

/** A gateway with made-up recordings, and a browser before its dashboard. */
export class RecordingHarness implements AsyncDisposable {
  readonly gateway: TestGateway;
  readonly account: TestAccount;
  /** What went wrong in pages since this was last emptied. */
  readonly problems: string[] = [];
  readonly #browser: Browser;
  readonly #pictures: readonly Buffer[];
  readonly #undo: AsyncDisposableStack;

  private constructor(
    { gateway, account }: Pick<RecordingHarness, 'gateway' | 'account'>,
    browser: Browser,
    pictures: readonly Buffer[],
    undo: AsyncDisposableStack,
  ) {
    this.gateway = gateway;
    this.account = account;
    this.#browser = browser;
    this.#pictures = pictures;
    this.#undo = undo;
  }

  static async open(): Promise<RecordingHarness> {
    const root = join(import.meta.dirname, '../..');
    await promisify(execFile)(join(root, 'scripts/build-dashboard'));
    await using undo = new AsyncDisposableStack();
    const { path } = undo.use(await scratchDirectory('recordings'));
    const dashboardDirectory = join(root, 'apps/dashboard/dist');
    const { gateway } = undo.use(
      await startDashboardHarness('sqlite', { recordings: keptIn(path), dashboardDirectory }),
    );
    const browser = await chromium.connectOverCDP(undo.use(await startDirectChromium()).url);
    undo.defer(() => browser.close());
    const account = await gateway.account({ concurrent_limit: 100 });
    const pictures = await recordedPages(browser);
    return new RecordingHarness({ gateway, account }, browser, pictures, undo.move());
  }

  /** A recorded session of the account and its recording, or the first `chunks` of it. */
  async record({
    chunks,
    ...options
  }: Partial<MakeOptions> & { chunks?: number } = {}): Promise<MadeUpRecording> {
    const sessionId = await this.session();
    const recording = makeUpRecording({ pictures: this.#pictures, ...options, sessionId });
    await storeRecording(this.gateway, recording, chunks === undefined ? {} : { to: chunks });
    return recording;
  }

  async session(): Promise<string> {
    return (await this.account.create({ os: 'windows', vnc: true, record: true })).json.browserId;
  }

  /** The token of a link to a recording. */
  async share({ index }: MadeUpRecording): Promise<string> {
    const { json } = await this.account.post(`/api/browser/${index.sessionId}/recording/share`, { hours: 1 });
    return tokenOf(json.url);
  }

  async visitor(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      baseURL: this.gateway.url,
      colorScheme: 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    context.setDefaultTimeout(60_000);
    this.#undo.defer(() => context.close());
    context.on('page', (page) => this.#watch(page));
    // The stand-in host has no live view.
    await context.route('https://host.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Live view</title>' }),
    );
    await context.route('**/dashboard/api/sessions/*/files', (route) =>
      route.fulfill({ json: { files: [] } }),
    );
    return context.newPage();
  }

  /** Follows an invitation, and is in. */
  async signedIn(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.visitor(options);
    const { db } = this.gateway.running.gateway;
    const link = { publicUrl: this.gateway.url, now: this.gateway.clock.now };
    await page.goto((await inviteAccount(db, this.account.email, link)).url);
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return page;
  }

  #watch(page: Page): void {
    page.on('pageerror', ({ message }) => void this.problems.push(message));
    page.on('console', (message) => {
      const isRefusal = /^Failed to load resource: .* status of 4\d\d/.test(message.text());
      if (message.type() === 'error' && !isRefusal) this.problems.push(message.text());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }
}
