import { expect, test } from 'vitest';
import { finished, nameOf, progressText, waitText } from './crawl-text.ts';

const pages = { found: 41, open: 12, done: 27, failed: 1, skipped: 0, duplicates: 1 };

test('progress counts what is over, whatever became of it', () => {
  expect(finished(pages)).toBe(29);
  expect(progressText({ pages })).toBe('29 of 41');
});

test('a batch has a name too, and a wait says what for', () => {
  expect(nameOf({ url: null, pages })).toBe('Batch of 41 pages');
  expect(nameOf({ url: 'https://example.com/', pages })).toBe('https://example.com/');
  expect(waitText({ waiting: 'CAPACITY' })).toBe('waits for a free browser');
  expect(waitText({ waiting: 'OTHER' })).toBe('waits: OTHER');
  expect(waitText({ waiting: null })).toBeUndefined();
});
