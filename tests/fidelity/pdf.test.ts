// @module-tag slow

import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { SideBySide, withPuppeteer } from './side-by-side.ts';

watchLeaks({ wholeFile: true });

const pdf = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]>>endobj',
  'trailer<</Root 1 0 R>>',
].join('\n');

let pair: SideBySide;

beforeAll(async () => {
  pair = await SideBySide.start({
    '/pdf': ['application/pdf', pdf],
    '/embedding': ['text/html', '<!doctype html><iframe src=/pdf width=500 height=400></iframe>'],
  });
});
afterAll(() => pair[Symbol.asyncDispose]());

interface AnyPage {
  goto(url: string): Promise<unknown>;
  frames(): { url(): string }[];
  close(): Promise<void>;
}

/** Each comes when it comes: the document's own, in the viewer's, is the last. */
async function frames(newPage: () => Promise<AnyPage>, path: string): Promise<string[][]> {
  const each: string[][] = [];
  for (let round = 0; round < 2; round++) {
    const page = await newPage();
    await page.goto(`${pair.origin}${path}`);
    const urls = () => page.frames().map((frame) => frame.url().replace(pair.origin, ''));
    await expect.poll(() => urls().at(-1)).toBe('/pdf');
    await expect.poll(() => urls().join()).toMatch(/chrome-extension:.*,\/pdf$/);
    each.push(urls());
    await page.close();
  }
  return each;
}

test.each(['/pdf', '/embedding'])(
  'the frames of the PDF viewer are there, with Puppeteer (%s)',
  async (path) => {
    const { session, direct } = await pair.compare(
      withPuppeteer((browser) => frames(() => browser.newPage(), path)),
    );
    expect(session).toEqual(direct);
  },
);

test.each(['/pdf', '/embedding'])(
  'the frames of the PDF viewer are there, with Playwright (%s)',
  async (path) => {
    const { session, direct } = await pair.compare(async (url) => {
      const browser = await chromium.connectOverCDP(url);
      const seen = await frames(() => browser.contexts()[0]?.newPage() as Promise<Page>, path);
      await browser.close();
      return seen;
    });
    expect(session).toEqual(direct);
  },
);
