import type { RecordedAction } from '@turnpike/contract/recording';
import { MemorySink } from '@turnpike/host/testing/memory-sink';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { chromium, type Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
// @ts-expect-error It has no types.
import { Builder, Capabilities } from 'selenium-webdriver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorldProxy, type WorldProxy } from '../fixtures/network/world-proxy.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { webdriverUrl } from '../protocols/webdriver-command.ts';
import {
  respond,
  shopWithPlaywright,
  shopWithPuppeteer,
  shopWithSelenium,
  typedPassword,
} from './actions-shop.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
const sink = new MemorySink();
let world: WorldProxy;
let running: TestHost;

beforeAll(async () => {
  world = all.use(await startWorldProxy(respond));
  running = all.use(await startTestHost({}, undefined, sink));
});
afterAll(() => all.disposeAsync());

/** Records a visit, and returns its actions in order: what the script did, and to which element. */
async function actionsOf(visit: (session: OpenedSession) => Promise<void>): Promise<string[]> {
  const request = newRequest(world.upstream);
  const session = await running.open({ ...request, params: { ...request.params, record: true } });
  await visit(session);
  await running.host.close(session.sessionId);
  await sink.ended(session.sessionId);
  expect(sink.text(session.sessionId)).not.toContain(typedPassword);
  const actions = sink.events(session.sessionId).filter((event) => event.kind === 'action');
  for (const { from, ms, t, error } of actions) {
    expect(error).toBeUndefined();
    expect(from + ms).toBeLessThanOrEqual(t + 1);
  }
  const errors = sink.of(session.sessionId).reduce((sum, { summary }) => sum + summary.errors, 0);
  expect(errors).toBe(0);
  return actions.toSorted((a, b) => a.from - b.from).map(shown);
}

const gift = { role: 'checkbox', name: 'Gift wrap' };

/** A click that leads to another page, or a busy one, may be too fast for the name of what was clicked. */
const elements = new Map<string | undefined, object>([
  ['link "Lamp"', { role: 'link', name: 'Lamp' }],
  ['a', { role: 'link', name: 'Lamp' }],
  ['link text=Lamp', { role: 'link', name: 'Lamp' }],
  ['button "Buy"', { role: 'button', name: 'Buy' }],
  ['button', { role: 'button', name: 'Buy' }],
  ['label "Gift wrap"', gift],
  ['#gift', gift],
]);

function shown({ name, detail, target, element }: RecordedAction): string {
  if (element) expect(element).toEqual(elements.get(target));
  return [name, detail, target].filter(Boolean).join(' ');
}

test('what is clicked has its accessible name', async () => {
  const request = newRequest(world.upstream);
  const { url, sessionId } = await running.open({ ...request, params: { ...request.params, record: true } });
  const browser = await chromium.connectOverCDP(url);
  const page = browser.contexts()[0]?.pages()[0] as Page;
  await page.goto('http://shop.test/lamp');
  const named = async () => {
    await page.click('#gift');
    return sink.events(sessionId).filter((event) => event.kind === 'action' && event.element);
  };
  await expect.poll(named, { interval: 300 }).toContainEqual(expect.objectContaining({ element: gift }));
  await browser.close();
  await running.host.close(sessionId);
  await sink.ended(sessionId);
});

test('a script for Playwright is told step by step', async () => {
  const actions = await actionsOf(async ({ url }) => shopWithPlaywright(await chromium.connectOverCDP(url)));
  expect(actions).toEqual([
    'goto http://shop.test/',
    'fill #search',
    'press Enter #search',
    `click link "Lamp"`,
    'select #colour',
    `click label "Gift wrap"`,
    'type #password',
    'screenshot',
    `click button "Buy"`,
    'wait for #done',
    'read text #done',
    'evaluate',
  ]);
});

test('a script for Puppeteer is told step by step', async () => {
  const actions = await actionsOf(async ({ url }) =>
    shopWithPuppeteer(await puppeteer.connect({ browserWSEndpoint: url })),
  );
  expect(actions).toEqual([
    'goto http://shop.test/',
    'type #search',
    'press Enter',
    'click a',
    'select #colour',
    'click #gift',
    'type #password',
    'screenshot',
    'click button',
    'wait for #done',
    'evaluate #done',
    'evaluate',
  ]);
});

test('a script for Selenium is told step by step', async () => {
  const actions = await actionsOf(async (session) => {
    const capabilities = new Capabilities({ browserName: 'chrome' });
    const builder = new Builder().usingServer(webdriverUrl(session)).withCapabilities(capabilities);
    await shopWithSelenium(await builder.build());
  });
  expect(actions).toEqual([
    'goto http://shop.test/',
    'type #search',
    'press Enter #search',
    'title',
    'click link text=Lamp',
    'type #colour',
    'click #gift',
    'type #password',
    'screenshot',
    'click button',
    'title',
    'read text #done',
    'evaluate',
  ]);
});
