import { isDeeperThan, maxJsonDepth } from '@turnpike/process/bounded-json';
import { parseExactJson } from './exact-json.ts';

/** How deep stored JSON may be: the bound for requests, plus what events and records add around it. */
const maxStoredDepth = maxJsonDepth + 16;

/**
 * Reads JSON from the store, and never throws: a row that is damaged, or older than the bound on depth, must not break
 * the page, the stream or the bill that it is part of. What is nested too deep becomes null; what is not JSON becomes
 * an empty object. Numbers keep their digits.
 */
// biome-ignore lint/suspicious/noExplicitAny: as `JSON.parse` itself.
export function readStoredJson(text: string): any {
  try {
    if (!isDeeperThan(text, maxStoredDepth)) return parseExactJson(text);
    return cut(JSON.parse(text), maxStoredDepth);
  } catch {
    return {};
  }
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, levels - 1)]));
}
