import { once } from 'node:events';
import { newRequest, startTestHost } from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Command } from '../../apps/host/src/switchboard/commands.ts';
import { createSwitchboard } from '../../apps/host/src/switchboard/create-switchboard.ts';
import type { Switchboard } from '../../apps/host/src/switchboard/switchboard.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { startHostProcess } from './host-process.ts';
import { siteBehindProxy } from './site.ts';

watchLeaks();

const site = siteBehindProxy();

/** Loads a page with Playwright, and passes something large through DevTools both ways. */
async function usePage(url: string): Promise<void> {
  const browser = await chromium.connectOverCDP(url);
  const page = await browser.contexts()[0]?.newPage();
  await page?.goto(site.origin);
  const large = 'x'.repeat(2 ** 22);
  expect(await page?.evaluate((text) => text, large)).toBe(large);
  expect(await page?.evaluate('location.origin')).toBe(site.origin);
  expect((await page?.screenshot())?.length).toBeGreaterThan(1000);
  await browser.close();
}

test('a host that cannot load koffi says so, and its sessions work over Node streams', {
  tags: 'slow',
}, async () => {
  const withoutKoffi = `${import.meta.dirname}/without-koffi.ts`;
  await using host = await startHostProcess({ nodeOptions: ['--import', withoutKoffi] });
  expect(host.logs()).toContain('koffi cannot be loaded, so DevTools messages go through Node streams');
  const requests = [true, false].map((headless) => newRequest(site.proxy, { headless }));
  await Promise.all(requests.map(async (request) => usePage(await host.open(request))));
  const [first, second] = requests.map(({ sessionId }) => sessionId);
  expect(await host.close(first ?? '')).toMatchObject({ sessionId: first, cause: 'closed' });
  expect(await host.close(second ?? '')).toMatchObject({ sessionId: second, cause: 'closed' });
});

test('a thread that dies ends its sessions, whose clients hear it, and the host goes on with a new thread', async () => {
  let switchboard: Switchboard | undefined;
  await using running = await startTestHost({}, (observer) => {
    switchboard = createSwitchboard(observer);
    return switchboard;
  });
  const { sessionId, url } = await running.open(newRequest(site.proxy));
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  switchboard?.send({ type: 'stop', pipeId: 1 } as unknown as Command);
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4002, 'DEAD']);
  await expect
    .poll(() => running.ended)
    .toMatchObject([{ sessionId, cause: 'gone', reason: 'browser_crashed' }]);
  const deaths = running.logs.filter((line) => line.includes('the thread for DevTools messages died'));
  expect(deaths).toHaveLength(1);
  const next = await running.open(newRequest(site.proxy));
  await usePage(next.url);
  await running.host.close(next.sessionId);
});
