import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readSitemap } from './sitemap.ts';

const urlset = (locations: string) => Buffer.from(`<?xml version="1.0"?><urlset>${locations}</urlset>`);

test('addresses of a sitemap are read, with entities and CDATA', async () => {
  const xml = urlset(
    '<url><loc> https://a.test/?a=1&amp;b=2 </loc></url><url><loc><![CDATA[https://a.test/x]]></loc></url>',
  );
  expect(await readSitemap(xml)).toEqual({
    pages: ['https://a.test/?a=1&b=2', 'https://a.test/x'],
    sitemaps: [],
  });
  expect((await readSitemap(gzipSync(xml))).pages).toHaveLength(2);
});

test('an index leads to other sitemaps, and a text has an address in each line', async () => {
  const index = Buffer.from(
    '<sitemapindex><sitemap><loc>https://a.test/1.xml</loc></sitemap></sitemapindex>',
  );
  expect(await readSitemap(index)).toEqual({ pages: [], sitemaps: ['https://a.test/1.xml'] });
  const text = Buffer.from('https://a.test/1\r\n\nnothing\nhttps://a.test/2');
  expect((await readSitemap(text)).pages).toEqual(['https://a.test/1', 'https://a.test/2']);
});

test('what is no sitemap, not whole or too large has a bound', async () => {
  expect(await readSitemap(Buffer.from('<html>'))).toEqual({ pages: [], sitemaps: [] });
  expect((await readSitemap(urlset('<loc>https://a.test/'))).pages).toEqual([]);
  expect((await readSitemap(urlset('<loc>https://a.test/</loc>'.repeat(60_000)))).pages).toHaveLength(50_000);
  await expect(readSitemap(gzipSync(Buffer.alloc(17 * 2 ** 20), { level: 1 }))).rejects.toThrow();
});
