import { expect, test } from 'vitest';
import { compileRobots, readRobots } from './robots.ts';

const allowed = async (text: string, path: string) =>
  compileRobots(await readRobots(text))(`https://a.test${path}`);

test('the longest path decides, and of two as long the one that allows', async () => {
  const text = 'User-agent: *\nDisallow: /shop\nAllow: /shop/open\nDisallow: /a\nAllow: /a\n';
  expect(await allowed(text, '/shop/x')).toBe(false);
  expect(await allowed(text, '/shop/open/1')).toBe(true);
  expect(await allowed(text, '/a')).toBe(true);
  expect(await allowed(text, '/other')).toBe(true);
});

test('a group for our name counts in place of the one for everybody', async () => {
  const text = 'user-agent: other\nuser-agent: Turnpike/1.0\ndisallow: /x\n\nUser-Agent: *\nDisallow: /';
  expect(await allowed(text, '/y')).toBe(true);
  expect(await allowed(text, '/x')).toBe(false);
  expect(await allowed('User-agent: other\nDisallow: /', '/y')).toBe(true);
});

test('groups of the same name are joined, and rules before any group are none', async () => {
  const text =
    'Disallow: /0\nUser-agent: *\nDisallow: /1\nUser-agent: b\nDisallow: /\nUser-agent: *\nDisallow: /2';
  expect(await allowed(text, '/0')).toBe(true);
  expect(await allowed(text, '/1')).toBe(false);
  expect(await allowed(text, '/2')).toBe(false);
  expect(await allowed(text, '/3')).toBe(true);
});

test('comments, carriage returns, empty rules and letters of other scripts are read', async () => {
  const text = 'User-agent: * # all\r\nDisallow:\r\nDisallow: /ä%c3%bc # here\r\nDisallow: /*.pdf$\r\n';
  expect(await allowed(text, '/')).toBe(true);
  expect(await allowed(text, '/äü')).toBe(false);
  expect(await allowed(text, '/x.pdf')).toBe(false);
  expect(await allowed(text, '/x.pdf?y')).toBe(true);
});

test('the crawl-delay is bounded, and sitemaps belong to no group', async () => {
  const read = await readRobots(
    'Sitemap: https://a.test/s.xml\nUser-agent: *\nCrawl-delay: 1.5\nsitemap: https://a.test/t.xml',
  );
  expect(read).toMatchObject({ delayMs: 1500, sitemaps: ['https://a.test/s.xml', 'https://a.test/t.xml'] });
  expect((await readRobots('User-agent: *\nCrawl-delay: 86400')).delayMs).toBe(60_000);
  expect((await readRobots('User-agent: *\nCrawl-delay: soon')).delayMs).toBe(0);
});
