// @module-tag slow
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RawPlaywright } from '../attacks/raw-playwright.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type PlaywrightSession, type PlaywrightSite, startPlaywrightSite } from './playwright-session.ts';

watchLeaks({ wholeFile: true });

let site: PlaywrightSite;
let session: PlaywrightSession;
let neighbour: PlaywrightSession;
beforeAll(async () => {
  site = await startPlaywrightSite({ sessionMemoryBytes: 768 * 2 ** 20 });
  session = await site.open();
  neighbour = await site.open();
});
afterAll(() => site[Symbol.asyncDispose]());

/** The longest that the neighbour waits for a page's answer while `attack` runs. */
async function longestWait(attack: () => Promise<void>): Promise<number> {
  const browser = await chromium.connect(neighbour.playwrightUrl);
  const page = await browser.contexts()[0]?.newPage();
  let longest = 0;
  const done = attack().then(() => true);
  while (!(await Promise.race([done, delay(20, false)]))) {
    const start = performance.now();
    expect(await page?.evaluate('6 * 7')).toBe(42);
    longest = Math.max(longest, performance.now() - start);
  }
  await done;
  await browser.close();
  return longest;
}

test('messages that are none end their own connection', async () => {
  const browser = await chromium.connect(session.playwrightUrl);
  for (const bytes of ['{', 'null', '[]', '"x"', '{"id":1}', '\0'.repeat(1000)]) {
    const client = await RawPlaywright.connect(session.playwrightUrl);
    client.sendBytes(Buffer.from(bytes));
    await client.close();
  }
  expect(browser.isConnected()).toBe(true);
  await browser.close();
});

test('a flood of messages is answered, and slows nobody else down', async () => {
  const client = await RawPlaywright.connect(session.playwrightUrl);
  const frame = await client.page('<p>x');
  const start = performance.now();
  const waited = await longestWait(async () => {
    // The last answer comes after 4,999 others.
    const answers = Array.from({ length: 5000 }, () => client.send(frame, 'title', {}, 240_000));
    const unanswered = (await Promise.all(answers)).filter(({ error }) => error !== undefined);
    expect(unanswered).toEqual([]);
  });
  expect(waited).toBeLessThan((performance.now() - start) / 2);
  await client.close();
});

test('what fills the memory of the session is ended by the kernel, and the next client is served', async () => {
  const client = await RawPlaywright.connect(session.playwrightUrl);
  const requests: string = client.find('BrowserContext').initializer.requestContext.guid;
  await longestWait(async () => {
    // The worker keeps each answer until the client disposes of it.
    for (let count = 0, closed = false; count < 40 && !closed; count += 1) {
      const { error } = await client.send(requests, 'fetch', { url: `${site.web.origin}/bytes/50000000` });
      closed = error === 'closed';
    }
    await client.closed;
  });
  const hasEnded = site.host.ended.some(({ sessionId }) => sessionId === session.sessionId);
  expect(hasEnded).toBe(false);
  const browser = await chromium.connect(session.playwrightUrl);
  expect(browser.contexts()).toHaveLength(1);
  await browser.close();
});

test('a message that is too long ends its own connection', async () => {
  const browser = await chromium.connect(session.playwrightUrl);
  const client = await RawPlaywright.connect(session.playwrightUrl);
  client.sendBytes(Buffer.alloc(101 * 2 ** 20, '['));
  await client.closed;
  expect(browser.isConnected()).toBe(true);
  await browser.close();
});

test('a client that stops the server disconnects its own session only, and can come back', async () => {
  const victim = await chromium.connect(neighbour.playwrightUrl);
  const client = await RawPlaywright.connect(session.playwrightUrl);
  await client.send(client.find('Browser').guid, 'stopServer');
  await client.closed;
  const again = await chromium.connect(session.playwrightUrl);
  expect(again.isConnected()).toBe(true);
  expect(victim.isConnected()).toBe(true);
  await again.close();
  await victim.close();
});

test('clients are told when the session ends', async () => {
  const browser = await chromium.connect(neighbour.playwrightUrl);
  const disconnected = new Promise((resolve) => browser.once('disconnected', resolve));
  await site.host.host.close(neighbour.sessionId);
  await disconnected;
  await expect(chromium.connect(neighbour.playwrightUrl)).rejects.toThrow('404');
});
