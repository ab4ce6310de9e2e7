import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Protocol } from 'devtools-protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FilterLists } from './filter-lists.ts';
import { RequestBlocker } from './request-blocker.ts';

let directory: string;
let lists: FilterLists;
const path = (name: string) => join(directory, name);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lists-'));
  writeFileSync(path('ads.txt'), '||ads.example^\n/banner-$image\n||embed.example^$subdocument\n');
  writeFileSync(path('trackers.txt'), '||count.example^$third-party\n@@||ads.example/allowed.js\n');
  lists = new FilterLists({ ads: [path('ads.txt')], trackers: [path('trackers.txt')] });
});
afterAll(() => rmSync(directory, { recursive: true }));

const page = { targetId: 'P', type: 'page', url: 'about:blank' };

function paused(
  url: string,
  resourceType: Protocol.Network.ResourceType,
  { frameId = 'P', headers = {} }: { frameId?: string; headers?: Record<string, string> } = {},
): Protocol.Fetch.RequestPausedEvent {
  const request = {
    url,
    method: 'GET',
    headers,
    initialPriority: 'Medium',
    referrerPolicy: 'origin',
  } as const;
  return { requestId: 'r', request, frameId, resourceType };
}

test('types are refused by type, and only their requests are paused', async () => {
  const blocker = await RequestBlocker.create(['fonts', 'images', 'images'], lists);
  expect(blocker.patternsFor('page')).toEqual([
    { urlPattern: 'http*', resourceType: 'Image' },
    { urlPattern: 'http*', resourceType: 'Font' },
    { urlPattern: 'http*', resourceType: 'Other' },
  ]);
  expect(blocker.refuses(paused('http://a.example/a.png', 'Image'), page)).toBe(true);
  expect(blocker.refuses(paused('http://a.example/a.woff2', 'Font'), page)).toBe(true);
  expect(blocker.refuses(paused('http://a.example/a.js', 'Script'), page)).toBe(false);
  const icon = paused('http://a.example/favicon.ico', 'Other', { headers: { Accept: 'image/avif,*/*' } });
  expect(blocker.refuses(icon, page)).toBe(true);
  expect(blocker.refusesHost('ads.example')).toBeUndefined();
  expect(blocker.refused).toEqual({ images: 2, fonts: 1 });
});

test('what a service worker fetches for a page is told by what the page accepts, or by its name', async () => {
  const blocker = await RequestBlocker.create(['images', 'stylesheets', 'fonts', 'media'], lists);
  const worker = { targetId: 'W', type: 'service_worker', url: 'http://a.example/worker.js' };
  expect(blocker.patternsFor('service_worker')).toContainEqual({
    urlPattern: 'http*',
    resourceType: 'Fetch',
  });
  const fetched = (accept: string, url = 'http://a.example/a') =>
    paused(url, 'Fetch', { headers: { Accept: accept } });
  expect(blocker.refuses(fetched('image/avif,image/webp,*/*;q=0.8'), worker)).toBe(true);
  expect(blocker.refuses(fetched('text/css,*/*;q=0.1'), worker)).toBe(true);
  expect(blocker.refuses(fetched('*/*', 'http://a.example/a.woff2?v=1'), worker)).toBe(true);
  expect(blocker.refuses(fetched('*/*', 'http://a.example/a.mp4'), worker)).toBe(true);
  expect(blocker.refuses(fetched('*/*'), worker)).toBe(false);
  expect(blocker.refuses(fetched('image/png'), page)).toBe(false);
});

test('lists decide by host, path, type and who asks; a page that was asked for is never refused', async () => {
  const blocker = await RequestBlocker.create(['ads', 'trackers'], lists);
  expect(blocker.patternsFor('page')).toEqual([{ urlPattern: 'http*' }]);
  const refuses = (...args: Parameters<typeof paused>) => blocker.refuses(paused(...args), page);
  const from = (url: string) => ({ headers: { Referer: url } });
  expect(refuses('http://ads.example/', 'Document')).toBe(false);
  expect(refuses('http://x.ads.example/ad.js', 'Script', from('http://shop.example/'))).toBe(true);
  expect(refuses('http://shop.example/banner-1.png', 'Image', from('http://shop.example/'))).toBe(true);
  expect(refuses('http://shop.example/banner-1.js', 'Script', from('http://shop.example/'))).toBe(false);
  expect(refuses('http://count.example/1', 'XHR', from('http://shop.example/'))).toBe(true);
  expect(refuses('http://count.example/1', 'XHR', from('http://www.count.example/'))).toBe(false);
  expect(
    refuses('http://embed.example/', 'Document', { frameId: 'F', ...from('http://shop.example/') }),
  ).toBe(true);
  expect(blocker.refused).toEqual({ ads: 3, trackers: 1 });
});

test('of a page that sends no referrer it is known where it was sent to', async () => {
  const blocker = await RequestBlocker.create(['trackers'], lists);
  const pixel = () => blocker.refuses(paused('http://count.example/1', 'Image'), page);
  expect(blocker.refuses(paused('http://shop.example/', 'Document'), page)).toBe(false);
  expect(pixel()).toBe(true);
  expect(blocker.refuses(paused('http://count.example/', 'Document'), page)).toBe(false);
  expect(pixel()).toBe(false);
});

test('hosts that a list refuses whole are known by name, those below included', async () => {
  const blocker = await RequestBlocker.create(['ads', 'trackers'], lists);
  expect(['ads.example', 'A.ADS.example'].map((host) => blocker.blockedByList(host))).toEqual(['ads', 'ads']);
  expect(
    ['ads.example.com', 'count.example', 'example', ''].map((host) => blocker.blockedByList(host)),
  ).toEqual([undefined, undefined, undefined, undefined]);
  expect(blocker.refused).toEqual({ ads: 0, trackers: 0 });
  expect([blocker.refusesHost('ads.example.'), blocker.refusesHost('a.example')]).toEqual([
    'block',
    undefined,
  ]);
  expect(blocker.refused).toEqual({ ads: 1, trackers: 0 });
});

test('without a list for it a kind is refused, and a list that cannot be read says so', async () => {
  const none = new FilterLists({ ads: [path('gone.txt')] });
  await expect(RequestBlocker.create(['trackers'], none)).rejects.toMatchObject({
    code: 'NO_FILTER_LIST',
    message: 'has trackers, for which this service has no filter list',
  });
  await expect(RequestBlocker.create(['ads'], none)).rejects.toMatchObject({ code: 'START_FAILED' });
});

test('a list is read once, and again when its file has changed', async () => {
  const changing = new FilterLists({ ads: [path('changing.txt')] });
  writeFileSync(path('changing.txt'), '||old.example^\n');
  const [first, second] = await Promise.all([changing.load('ads'), changing.load('ads')]);
  expect(second).toBe(first);
  writeFileSync(path('changing.txt'), '||new.example^\n');
  utimesSync(path('changing.txt'), 1, 1);
  const third = await changing.load('ads');
  expect([first.refusesHost('old.example'), third.refusesHost('old.example')]).toEqual([true, false]);
  expect(third.refusesHost('new.example')).toBe(true);
});
