import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { expect } from 'vitest';
import { startDirectChromium } from '../../bench/direct-chromium.ts';
import { onFreePort } from '../fixtures/network/free-port.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { MailServer } from '../fixtures/receivers/mail-server.ts';
import { type Service, startService } from '../fixtures/service/service.ts';

export const password = 'a few words to remember';

/** The whole service, a browser before its dashboard, and a site for sessions to visit. */
export class BrowserHarness implements AsyncDisposable {
  readonly service: Service;
  readonly web: WebServer;
  readonly mails: MailServer;
  readonly #browser: Browser;
  readonly #undo: AsyncDisposableStack;
  readonly #problems: string[] = [];

  private constructor(
    { service, web, mails }: Pick<BrowserHarness, 'service' | 'web' | 'mails'>,
    browser: Browser,
    undo: AsyncDisposableStack,
  ) {
    this.service = service;
    this.web = web;
    this.mails = mails;
    this.#browser = browser;
    this.#undo = undo;
  }

  static async open(): Promise<BrowserHarness> {
    await promisify(execFile)(join(import.meta.dirname, '../../scripts/build-dashboard'));
    await using undo = new AsyncDisposableStack();
    const web = undo.use(await startWebServer());
    const mails = undo.use(await MailServer.start());
    // Links in e-mails begin with the gateway's URL, so its port is chosen before.
    const env = { TURNPIKE_SMTP_URL: mails.url, TURNPIKE_MAIL_FROM: 'no-reply@turnpike.example' };
    const service = undo.use(
      await onFreePort((port) => {
        const url = { TURNPIKE_PORT: String(port), TURNPIKE_PUBLIC_URL: `http://127.0.0.1:${port}` };
        return startService({ env: { ...env, ...url } });
      }),
    );
    const browser = await chromium.connectOverCDP(undo.use(await startDirectChromium()).url);
    undo.defer(() => browser.close());
    return new BrowserHarness({ service, web, mails }, browser, undo.move());
  }

  /** The link that the start printed. */
  link(who: 'operator' | 'demo account'): string {
    return new RegExp(`^ +${who} +(http\\S+)$`, 'm').exec(this.service.output())?.[1] ?? '';
  }

  /** A browser of somebody's own, with an empty page. */
  async visitor(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 900 },
      colorScheme: 'light',
      baseURL: this.service.gatewayUrl,
      ...options,
    });
    context.setDefaultTimeout(120_000);
    this.#watch(context);
    return context.newPage();
  }

  /** Follows an invitation, and is in. */
  async welcome(page: Page, link: string): Promise<void> {
    await page.goto(link);
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  async signIn(page: Page, email: string): Promise<void> {
    await page.goto('/sign-in');
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('[type=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  /** What a person would never see but should not happen: errors, forbidden loads, requests to elsewhere. */
  takeProblems(): string[] {
    return this.#problems.splice(0);
  }

  #watch(context: BrowserContext): void {
    const own = [this.service.gatewayUrl, this.service.hostUrl.replace(/^ws/, 'http')];
    const note = (page: Page, words: string) => this.#problems.push(`${page.url()}: ${words}`);
    context.on('page', (page) => {
      page.on('pageerror', ({ message }) => note(page, message));
      page.on('console', (message) => {
        // Chromium tells of every refusal by the API in the console; the page tells it better.
        const refusal = /^Failed to load resource: .* status of 4\d\d/.test(message.text());
        if (['error', 'warning'].includes(message.type()) && !refusal) note(page, message.text());
      });
      page.on('request', (request) => {
        const url = request.url();
        const inside = own.some((origin) => url.startsWith(`${origin}/`)) || url.startsWith('about:');
        if (!inside) note(page, `asks for ${url}`);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }
}

/** To a page by its link in the navigation. */
export async function goTo(page: Page, name: string, heading = name): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

/** Presses a button that asks first, and says yes. */
export async function confirm(page: Page, button: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button').last().click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Expects it before long: the machine may be busy. */
export const soon = <T>(read: () => T | Promise<T>, interval = 100) => expect.poll(read, { interval });

/** All text in it. */
export const words = async (locator: Locator): Promise<string> => (await locator.textContent()) ?? '';

/** A secret on the screen. */
export const secret = (page: Page, name: string) =>
  words(page.getByRole('group', { name, exact: true }).locator('code'));
