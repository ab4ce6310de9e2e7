import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuideLibrary } from '../../apps/gateway/src/reference/guide-library.ts';
import { type Answer, call, startGatewayOn, type TestGateway } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';

watchLeaks({ wholeFile: true });

const root = join(import.meta.dirname, '../..');
const files = globSync(['docs/*.md', 'docs/decisions/*.md'], { cwd: root });

let gateway: TestGateway;
let library: GuideLibrary;
/** Every page, by its path. */
const pages = new Map<string, Answer>();
beforeAll(async () => {
  gateway = await startGatewayOn('sqlite');
  library = await GuideLibrary.open(root);
  const urls = [...library.guides.map(({ url }) => url), '/docs/reference', '/docs/try'];
  for (const url of urls) pages.set(url, await get(url));
});
afterAll(() => gateway[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => call(gateway.url + path, { headers });
const attributes = ({ text }: Answer, name: string) =>
  [...text.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? '');

test('every document is a page with one title and all its code', () => {
  expect(pages.size).toBeGreaterThan(files.length);
  for (const { file, url, title } of library.guides) {
    const page = pages.get(url);
    expect(page?.status, file).toBe(200);
    expect(page?.text.match(/<h1/g), file).toHaveLength(1);
    expect(title, file).not.toBe(file);
    const blocks = readFileSync(join(root, file), 'utf8').match(/^ *```/gm) ?? [];
    expect(page?.text.match(/<pre/g) ?? [], file).toHaveLength(blocks.length / 2);
  }
});

test('every link on every page leads to a page, and to a place on it', async () => {
  const broken: string[] = [];
  const ids = new Map([...pages].map(([url, page]) => [url, attributes(page, 'id')]));
  const known = new Set(['/', '/keys', '/sessions', '/new-session', '/favicon.svg']); // of the dashboard
  for (const [url, page] of pages) {
    const links = [...attributes(page, 'href'), ...attributes(page, 'src')];
    for (const to of links.filter((each) => !/^[a-z]+:/.test(each))) {
      const [path = '', anchor] = to.split('#', 2);
      const target = ids.get(path || url);
      if (anchor !== undefined) {
        if (!target?.includes(anchor)) broken.push(`${url}: ${to}`);
      } else if (!target && !known.has(path)) {
        if ((await get(path)).status === 200) known.add(path);
        else broken.push(`${url}: ${to}`);
      }
    }
    // What a page points at by id, too.
    for (const id of [...attributes(page, 'popovertarget'), ...attributes(page, 'for')]) {
      if (!ids.get(url)?.includes(id)) broken.push(`${url}: #${id}`);
    }
    expect(new Set(ids.get(url)).size, url).toBe(ids.get(url)?.length);
  }
  expect(broken).toEqual([]);
  expect([...known].filter((path) => path.startsWith('/docs/images/')).length).toBeGreaterThan(5);
});

test('every guide is in the navigation', () => {
  const listed = library.groups.flatMap(({ entries }) => entries.map(({ url }) => url));
  const guides = library.guides.filter(({ file }) => file.startsWith('docs/') && !file.includes('decisions'));
  expect(guides.map(({ url }) => url).filter((url) => url !== '/docs' && !listed.includes(url))).toEqual([]);
  expect(library.groups.map(({ title }) => title)).toEqual(['Use it', 'Run it', 'Change it']);
});

test('pages run only scripts of this service, have nothing inline, and load nothing from elsewhere', async () => {
  for (const [url, page] of pages) {
    expect(page.headers.get('content-security-policy'), url).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.text, url).not.toMatch(/<script(?! (type="module" )?src="\/docs\/)|<style| style=| on\w+="/);
    expect(attributes(page, 'src').filter((src) => !src.startsWith('/docs/'))).toEqual([]);
  }
  const script = await get('/docs/page/main.ts');
  expect(script.headers.get('content-type')).toMatch(/^text\/javascript/);
  expect(script.text).not.toMatch(/: void|import type/);
});

test('the search has every guide and every operation', async () => {
  const { json } = await get('/docs/search.json');
  const found = new Set(json.map(({ url }: { url: string }) => url.split('#')[0]));
  const guides = library.guides.filter(({ file }) => !file.startsWith('docs/decisions/'));
  expect(guides.map(({ url }) => url).filter((url) => url !== '/docs' && !found.has(url))).toEqual([]);
  expect(json).toContainEqual(
    expect.objectContaining({ page: 'API reference', url: '/docs/reference#createBrowser' }),
  );
  const compressed = await fetch(`${gateway.url}/docs/search.json`, { headers: { 'accept-encoding': 'br' } });
  await compressed.arrayBuffer();
  expect(compressed.headers.get('content-encoding')).toBe('br');
});

test('a page is sent again only when it has changed', async () => {
  const etag = pages.get('/docs/quick-start')?.headers.get('etag') ?? '';
  expect((await get('/docs/quick-start', { 'if-none-match': etag })).status).toBe(304);
});

test('a slash at the end changes nothing', async () => {
  expect((await get('/docs/')).text).toBe(pages.get('/docs')?.text);
  expect((await get('/docs/decisions/')).text).toBe(pages.get('/docs/decisions')?.text);
});

test.each(['/docs/nothing', '/docs/decisions/nothing', '/docs/..%2fpackage.json', '/docs/%zz'])(
  '%s is a page that says so',
  async (path) => {
    const page = await get(path);
    expect(page.status).toBe(404);
    expect(page.text).toContain('<h1>Page not found</h1>');
  },
);

test.each(['nothing.png', '..%2f..%2fpackage.json', '..%2fopenapi.json', 'dashboard.md'])(
  'no other file is an image: %s',
  async (name) => {
    expect((await get(`/docs/images/${name}`)).status).toBe(404);
  },
);

test('an installation without documents has a library without guides', async () => {
  await using empty = await scratchDirectory('no-documents');
  const { guides, groups } = await GuideLibrary.open(empty.path);
  expect([guides, groups]).toEqual([[], []]);
});
