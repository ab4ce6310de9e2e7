import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Slices } from '@turnpike/process/work/slices';

/** What a sitemap lists. */
export interface Sitemap {
  pages: string[];
  /** Further sitemaps, if it is an index. */
  sitemaps: string[];
}

/** Unpacked. The protocol allows 50 MB and as many addresses; few sites come near it. */
const maxSitemapBytes = 16 * 2 ** 20;
const maxEntries = 50_000;
const maxEntryBytes = 8192;

const unzip = promisify(gunzip);

/** Reads a sitemap: XML, gzipped or not, or plain text with an address in each line. Bounded in size and time. */
export async function readSitemap(bytes: Uint8Array): Promise<Sitemap> {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isGzip = packed[0] === 0x1f && packed[1] === 0x8b;
  const content = isGzip ? await unzip(packed, { maxOutputLength: maxSitemapBytes }) : packed;
  const text = content.subarray(0, maxSitemapBytes);
  const isXml = text.includes('<urlset') || text.includes('<sitemapindex');
  if (!isXml) return { pages: await readLines(text), sitemaps: [] };
  const addresses = await readLocations(text);
  const isIndex = text.includes('<sitemapindex');
  return isIndex ? { pages: [], sitemaps: addresses } : { pages: addresses, sitemaps: [] };
}

const opening = Buffer.from('<loc>');
const closing = Buffer.from('</loc>');

async function readLocations(xml: Buffer): Promise<string[]> {
  const slices = new Slices();
  const found: string[] = [];
  for (let at = xml.indexOf(opening); at !== -1; at = xml.indexOf(opening, at)) {
    const start = at + opening.length;
    const end = xml.indexOf(closing, start);
    if (end === -1 || found.length === maxEntries) break;
    if (end - start <= maxEntryBytes) found.push(unescaped(xml.toString('utf8', start, end)));
    at = end;
    await slices.pause();
  }
  return found;
}

async function readLines(text: Buffer): Promise<string[]> {
  const slices = new Slices();
  const found: string[] = [];
  for (let at = 0; at < text.length && found.length < maxEntries; ) {
    const feed = text.indexOf(0x0a, at);
    const end = feed === -1 ? text.length : feed;
    const line = end - at > maxEntryBytes ? '' : text.toString('utf8', at, end).trim();
    if (/^https?:/i.test(line)) found.push(line);
    at = end + 1;
    await slices.pause();
  }
  return found;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  const plain = text.trim();
  const cdata = plain.startsWith('<![CDATA[') && plain.endsWith(']]>');
  if (cdata) return plain.slice(9, -3).trim();
  return plain.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => entities[name] ?? '');
}
