import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import {
  maxPageAnswerBytes,
  type PageAnswer,
  type PageCall,
  type PageValidators,
} from '@turnpike/contract/page/page-call';
import type { PageFormat } from '@turnpike/contract/page/page-formats';
import { Slices } from '@turnpike/process/work/slices';
import type { SessionRow } from '../store/tables.ts';
import type { CrawlContext } from './crawl-context.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import { type JsonRange, rangesIn } from './page-json.ts';

/** What a page is loaded in. */
export interface PageSession {
  session: SessionRow;
  /** Aborts when the runner is to stop. */
  signal: AbortSignal;
}

/** The session or its host is gone. The page may be loaded in another. */
export class SessionLostError extends Error {
  override name = 'SessionLostError';
}

/** Makes a page call. Throws `SessionLostError` if there is no answer. */
export async function callPage(
  { findHost }: Pick<CrawlContext, 'findHost'>,
  { session, signal }: PageSession,
  call: PageCall,
): Promise<PageAnswer> {
  try {
    const host = await findHost(session.host, session.host_boot);
    const answer = await host?.callPage(session.id, call, signal);
    if (answer) return answer;
  } catch (error) {
    signal.throwIfAborted();
    throw new SessionLostError('The host did not answer', { cause: error });
  }
  throw new SessionLostError('The host does not have the session any more');
}

/** Finds the address that a page says is its canonical one. */
const canonicalElement = { selector: 'link[rel=canonical]', timeout: 0 };

export interface Wanted {
  links: boolean;
  canonical: boolean;
  /** What the last load came with, if the page is of interest only when it has changed. */
  validators?: PageValidators;
}

/** The call that reads a page of a crawl: what was asked for, and what the crawl itself needs. */
export function pageCall(
  { page }: CrawlPlan,
  url: string,
  { links, canonical, validators }: Wanted,
): PageCall {
  const { parameters, formats, timeoutMs } = page;
  const asked = new Set<PageFormat>(formats);
  if (links) asked.add('links');
  if (canonical) asked.add('scrape');
  return {
    parameters: {
      ...parameters,
      url,
      ...(canonical && {
        elements: [canonicalElement, ...(formats.includes('scrape') ? (parameters.elements ?? []) : [])],
      }),
    },
    formats: [...asked],
    raw: false,
    timeoutMs,
    ...(validators && { validators }),
  };
}

/** What the results of a page consist of. */
export interface PageParts {
  /** The formats that were asked for, as JSON. */
  json: Buffer;
  links: string[];
  /** As the page has it, maybe relative. */
  canonical: string | undefined;
}

const maxLinks = 20_000;
const maxLinkBytes = 10_000;

/** Takes an answer apart without parsing what is only stored. */
export async function takeApart(
  answer: Extract<PageAnswer, { body: Uint8Array }>,
  plan: CrawlPlan,
  wanted: Wanted,
): Promise<PageParts> {
  const { body, fileName, type } = answer;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (fileName !== undefined) {
    const file = { name: fileName, type, base64: bytes.toString('base64') };
    return { json: Buffer.from(JSON.stringify({ file })), links: [], canonical: undefined };
  }
  const members = await rangesIn(bytes);
  const links = wanted.links ? await readLinks(bytes, members.get('links')) : [];
  const scraped = wanted.canonical ? await rangesIn(bytes, members.get('scrape')) : new Map();
  const canonical = canonicalIn(bytes, scraped.get('0'));
  const kept: Buffer[] = [];
  for (const format of plan.page.formats) {
    const range = members.get(format);
    if (!range) continue;
    const isShared = format === 'scrape' && wanted.canonical;
    const value = isShared
      ? withoutFirst(bytes, [...scraped.values()])
      : bytes.subarray(range.start, range.end);
    kept.push(Buffer.from(`${kept.length === 0 ? '{' : ','}${JSON.stringify(format)}:`), value);
  }
  const json = kept.length === 0 ? Buffer.from('{}') : Buffer.concat([...kept, Buffer.from('}')]);
  return { json, links, canonical };
}

function withoutFirst(json: Buffer, items: readonly JsonRange[]): Buffer {
  const [, second] = items;
  const last = items.at(-1);
  if (!second || !last) return Buffer.from('[]');
  return Buffer.concat([Buffer.from('['), json.subarray(second.start, last.end), Buffer.from(']')]);
}

async function readLinks(json: Buffer, range: JsonRange | undefined): Promise<string[]> {
  if (!range) return [];
  const slices = new Slices();
  const found: string[] = [];
  for (const { start, end } of (await rangesIn(json, range)).values()) {
    if (found.length === maxLinks) break;
    const link = end - start <= maxLinkBytes ? linkIn(json.toString('utf8', start, end)) : undefined;
    if (link !== undefined) found.push(link);
    await slices.pause();
  }
  return found;
}

function linkIn(json: string): string | undefined {
  const value = parsed(json);
  if (typeof value === 'string') return value;
  const { url, href = url } = (value ?? {}) as { url?: unknown; href?: unknown };
  return typeof href === 'string' ? href : undefined;
}

/** The first result of the first element: its attribute `href`. */
function canonicalIn(json: Buffer, range: JsonRange | undefined): string | undefined {
  if (!range || range.end - range.start > maxLinkBytes) return undefined;
  const { results } = (parsed(json.toString('utf8', range.start, range.end)) ?? {}) as { results?: unknown };
  const [first] = Array.isArray(results) ? results : [];
  const { attributes } = (first ?? {}) as { attributes?: unknown };
  if (!Array.isArray(attributes)) return undefined;
  const href = attributes.find((attribute) => attribute?.name === 'href')?.value;
  return typeof href === 'string' ? href : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Compresses on a thread of Node's pool. */
export const packResult = (json: Buffer): Promise<Buffer> =>
  compress(json, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });

export const unpackResult = (packed: Uint8Array): Promise<Buffer> =>
  decompress(packed, { maxOutputLength: 2 * maxPageAnswerBytes });

const hashedAtATime = 256 * 1024;

/** Hashes what tells whether a page has changed: its text where it was asked for, and otherwise all of it. */
export async function hashContent(json: Buffer): Promise<string> {
  const members = await rangesIn(json);
  const { start, end } = members.get('markdown') ?? members.get('content') ?? { start: 0, end: json.length };
  const slices = new Slices();
  const hash = createHash('sha256');
  for (let at = start; at < end; at += hashedAtATime) {
    hash.update(json.subarray(at, Math.min(end, at + hashedAtATime)));
    await slices.pause();
  }
  return hash.digest('base64url');
}
