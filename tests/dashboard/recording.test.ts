// @module-tag slow
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { shareToken } from '../../apps/gateway/src/recordings/share-link.ts';
import { axeFindings } from '../fixtures/browsers/axe.ts';
import { testSealer } from '../fixtures/gateway/gateway.ts';
import type { MadeUpRecording } from '../fixtures/recordings/made-up-recording.ts';
import { storeRecording } from '../fixtures/recordings/stored-recordings.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { confirm, soon, words } from './browser-harness.ts';
import { RecordingHarness } from './recording-harness.ts';

/** The player and the live inspector in a browser, on an hour's recording. */

watchLeaks({ wholeFile: true });

let harness: RecordingHarness;
let recorded: MadeUpRecording;
let page: Page;
/** What the page asked the API for. */
let asked: string[] = [];

beforeAll(async () => {
  harness = await RecordingHarness.open();
  recorded = await harness.record();
  page = await harness.signedIn();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/api\/.*\/recording/.test(pathname)) asked.push(pathname + search);
  });
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(() => expect(harness.problems.splice(0)).toEqual([]));

async function open(hash = '', on = page): Promise<void> {
  await on.goto('about:blank');
  asked = [];
  await on.goto(`/sessions/${recorded.index.sessionId}/recording${hash}`);
  await on.getByRole('img', { name: /^The browser at/ }).waitFor();
}

const time = (on = page) => on.locator('.controls-time').textContent();
const tab = (name: string, on = page) => on.getByRole('tab', { name: new RegExp(`^${name}`) });
const current = (list: string, on = page) =>
  on.getByRole('listbox', { name: list }).locator('[aria-current=time]');
/** Waits until the page has every chunk of the recording: it counts all commands then. */
const everythingLoaded = () =>
  soon(async () => Number((await words(tab('Commands'))).replace(/\D/g, ''))).toBe(
    countRecorded(/"kind":"command"/g),
  );
const countRecorded = (pattern: RegExp) => recorded.events.join('').match(pattern)?.length ?? 0;

test('the middle of an hour opens with the index, the events around it and one picture; the rest follows', async () => {
  await open('#t=1083.2');
  expect(await time()).toMatch(/^18:03\.2/);
  const path = `/api/browser/${recorded.index.sessionId}/recording`;
  expect(asked[0]).toBe(path);
  const firstTwo = asked.slice(1, 3);
  expect(firstTwo).toContainEqual(expect.stringMatching(/\/pictures\/\d+\/\d+$/));
  const near = firstTwo.map((each) => /events\?from=(\d+)&to=(\d+)$/.exec(each)).find(Boolean);
  const [from, to] = [Number(near?.[1]), Number(near?.[2])];
  expect(to - from).toBeLessThan(15);
  expect(recorded.index.chunks[from]?.fromMs).toBeLessThan(1_083_200);
  expect(recorded.index.chunks[to]?.fromMs).toBeGreaterThan(1_083_200);
  await everythingLoaded();
  const events = asked.filter((each) => each.includes('/events?'));
  expect(new Set(events).size).toBe(events.length);
  expect(asked.filter((each) => each.includes('/pictures/'))).toHaveLength(1);
});

test('lists have only the rows in sight, the row of the moment is marked, and a row leads to its moment', async () => {
  await open('#t=1083.2');
  await everythingLoaded();
  expect(await page.getByRole('option').count()).toBeLessThan(80);
  await soon(() => current('Actions').textContent()).toMatch(/^18:0/);
  await tab('Commands').click();
  await soon(() => current('Commands').textContent()).toMatch(/^18:0/);
  await tab('Network').click();
  const row = current('Requests');
  await soon(() => row.isVisible()).toBe(true);
  const list = page.getByRole('listbox', { name: 'Requests' });
  await list.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  const details = page.getByRole('region', { name: 'Details' });
  await details.getByText('https://shop.example/assets/shop.css').waitFor();
  await details.getByText('content-type').waitFor();
  expect(await time()).toMatch(/^0:00\.7/);
  await page.getByRole('button', { name: 'Close details' }).click();
  await details.waitFor({ state: 'hidden' });
});

test('an action says what it was done to and how it went, and leads to its raw commands', async () => {
  await open('#t=3.5');
  await everythingLoaded();
  const list = page.getByRole('listbox', { name: 'Actions' });
  await list.getByRole('option', { name: 'click button "Add to basket"' }).first().click();
  const details = page.getByRole('region', { name: 'Details' });
  await details.getByText('#basket', { exact: true }).waitFor();
  await details.getByRole('img', { name: 'The page before the action' }).waitFor();
  await details.getByRole('img', { name: 'The page after the action' }).waitFor();
  expect(await axeFindings(page, 'light')).toEqual([]);
  await details.getByRole('button', { name: '2 raw commands' }).click();
  await soon(() => current('Commands').textContent()).toContain('DOM.getDocument');
  await page.getByLabel('Search the recording').fill('detached');
  await tab('Actions').click();
  const failed = countRecorded(/"Node is detached/g);
  await soon(() => tab('Actions').textContent()).toMatch(new RegExp(`${failed}$`));
});

test('a search finds rows of the whole hour, and its field is reached by a key', async () => {
  await open();
  await page.keyboard.press('/');
  await page.keyboard.type('basket 503');
  await tab('Network').click();
  const failed = countRecorded(/"status":503/g);
  await soon(() => tab('Network').textContent()).toMatch(new RegExp(`${failed}$`));
  await page.getByLabel('Search the recording').fill('nowhere to be found');
  await page.getByText('Nothing matches').waitFor();
});

test('keys play, step and jump to errors, and the moment is in the address', async () => {
  await open();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Shift+ArrowRight');
  expect(await time()).toMatch(/^0:10\.0/);
  await page.keyboard.press('ArrowLeft');
  expect(await time()).toMatch(/^0:09\.0/);
  await soon(() => page.evaluate('location.hash')).toBe('#t=9.0');
  await everythingLoaded();
  await page.keyboard.press('e');
  const first = await time();
  await page.keyboard.press('e');
  expect(await time()).not.toBe(first);
  await page.keyboard.press('Shift+E');
  expect(await time()).toBe(first);
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await soon(() => time()).not.toBe(first);
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

test('in one browser a second link, and a made-up one, get nothing of the first', async () => {
  const stranger = await harness.visitor();
  const linkTo = async (color: string) =>
    harness.share(await harness.record({ minutes: 1, pictures: [Buffer.from(color)] }));
  const tokens = [await linkTo('blue'), await linkTo('red'), 'made-up'];
  await stranger.goto('/shared-recording');
  const answers = await stranger.evaluate(async (given) => {
    const all: string[] = [];
    for (const token of given) {
      // As the player of an earlier version and other programs ask: what the browser keeps comes first.
      const init: RequestInit = { cache: 'force-cache', headers: { 'x-recording-token': token } };
      const answer = await fetch('/dashboard/api/shared-recording/pictures/0/0', init);
      all.push(`${answer.status} ${answer.ok ? await answer.text() : ''}`.trim());
    }
    return all;
  }, tokens);
  expect(answers).toEqual(['200 blue', '200 red', '410']);
});

test('playing skips the stretch in which nothing happens', { tags: 'slow' }, async () => {
  const idle = recorded.index.chunks.findIndex(({ toMs }, at, chunks) => {
    return (chunks[at + 1]?.fromMs ?? 0) - toMs > 60_000;
  });
  const [before, after] = [
    recorded.index.chunks[idle]?.toMs ?? 0,
    recorded.index.chunks[idle + 1]?.fromMs ?? 0,
  ];
  await open(`#t=${before / 1000 + 1}`);
  await page.getByLabel('Speed').selectOption('8');
  await page.getByRole('button', { name: 'Play' }).click();
  const slider = page.getByRole('slider');
  await soon(async () => Number(await slider.inputValue())).toBeGreaterThan(after);
  await page.getByRole('button', { name: 'Pause' }).click();
});

test('a link to the moment is copied, and a share link is read by whoever has it until it expires', {
  tags: 'slow',
}, async () => {
  await open('#t=83.2');
  await page.getByRole('button', { name: 'Copy link to this moment' }).click();
  await soon(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/\/recording#t=83\.2$/);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByLabel('Expires after').selectOption('1');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = (await page.getByRole('group', { name: 'Link' }).locator('code').textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  const stranger = await harness.visitor();
  await stranger.goto(`${link}&t=83.2`);
  await stranger.getByRole('img', { name: /^The browser at/ }).waitFor();
  expect(await time(stranger)).toMatch(/^1:23\.2/);
  expect(await stranger.getByRole('button', { name: /Share|Delete/ }).count()).toBe(0);
  expect(await axeFindings(stranger, 'light')).toEqual([]);
  const expired = shareToken(testSealer, recorded.index.sessionId, harness.gateway.clock.now() - 1);
  await stranger.goto('about:blank');
  await stranger.goto(`/shared-recording#token=${expired}`);
  await stranger.getByText('This link does not work any more').waitFor();
});

test('a running session is followed: new rows come, and the time is the end of what there is', async () => {
  const running = await harness.record({ minutes: 3, isRunning: true, chunks: 10 });
  await page.goto(`/sessions/${running.index.sessionId}/recording`);
  await page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
  const end = (chunks: number) => running.index.chunks[chunks - 1]?.toMs ?? 0;
  const slider = page.getByRole('slider');
  await soon(async () => Number(await slider.inputValue())).toBeCloseTo(end(10), -3);
  await storeRecording(harness.gateway, running, { from: 10, to: 30 });
  await soon(async () => Number(await slider.inputValue())).toBeCloseTo(end(30), -3);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('button', { name: 'Live', pressed: false }).click();
  await page.getByRole('button', { name: 'Live', pressed: true }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'Fern & Finch' }).first().waitFor();
  await page.getByRole('link', { name: 'Open the live view' }).waitFor();
  await page.getByRole('heading', { name: 'Traffic' }).waitFor();
  expect(await axeFindings(page, 'light')).toEqual([]);
});

test('a person pauses the client and gives it back; a page that goes away gives it back too', async () => {
  const id = await harness.session();
  await page.goto(`/sessions/${id}`);
  await page.getByRole('button', { name: 'Pause the client' }).click();
  await page.getByText('The client waits').waitFor();
  const pausedBy = async () => (await harness.gateway.host.clients(id))?.pause?.holder.name;
  expect(await pausedBy()).toBe(harness.account.email);
  const second = await page.context().newPage();
  await second.goto(`/sessions/${id}`);
  await second.getByText(`Paused by ${harness.account.email}`).waitFor();
  expect(await second.getByRole('button', { name: 'Pause the client' }).isDisabled()).toBe(true);
  await second.close();
  await page.getByRole('button', { name: 'Resume the client' }).click();
  await page.getByRole('button', { name: 'Pause the client' }).click();
  await page.getByText('The client waits').waitFor();
  await page.goto('about:blank');
  await soon(pausedBy).toBeUndefined();
});

test('a pause goes along from the live view to the inspector and back', async () => {
  const { index } = await harness.record({ minutes: 3, isRunning: true, chunks: 10 });
  const id = index.sessionId;
  const pause = async () => (await harness.gateway.host.clients(id))?.pause;
  await page.goto(`/sessions/${id}`);
  await page.getByRole('button', { name: 'Pause the client' }).click();
  await page.getByText('The client waits').waitFor();
  const holder = (await pause())?.holder.id;
  await page.getByRole('link', { name: 'Inspect live' }).click();
  await page.getByRole('button', { name: 'Resume the client' }).waitFor();
  await page.getByRole('link', { name: 'Open the live view' }).click();
  await page.getByRole('heading', { level: 1, name: 'Session' }).waitFor();
  await page.getByText('The client waits').waitFor();
  expect((await pause())?.holder.id).toBe(holder);
  await page.getByRole('button', { name: 'Resume the client' }).click();
  await soon(pause).toBeUndefined();
});

test('axe finds nothing in any list, light and dark, and it fits a phone', { tags: 'slow' }, async () => {
  await open('#t=83.2');
  for (const name of ['Actions', 'Commands', 'Network', 'Console', 'Events']) {
    await tab(name).click();
    await page.locator('[aria-current=time]').click();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await axeFindings(page, colorScheme), `${name} ${colorScheme}`).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 740 });
  await soon(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await tab('Network').click();
  expect(await axeFindings(page, 'light')).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('recordings are in the list of sessions, deleted after a question, and then the page says how to record', async () => {
  await page.goto('/sessions');
  const { sessionId } = recorded.index;
  await page
    .getByRole('link', { name: `Recording of ${sessionId}` })
    .first()
    .click();
  await page.getByRole('img', { name: /^The browser at/ }).waitFor();
  // What is still being read of a recording that is deleted is cut off.
  await everythingLoaded();
  await confirm(page, 'Delete recording');
  await page.getByRole('link', { name: /Inspect live|Watch recording/ }).click();
  await page.getByText('There is no recording of this session').waitFor();
  expect(await page.getByText('record=true').isVisible()).toBe(true);
});
