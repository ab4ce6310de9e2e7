import { isDeeperThan, maxJsonDepth } from '@turnpike/process/bounded-json';
import { parseExactJson } from './exact-json.ts';

/** What comes in is bounded; events and records put it a few levels further down. */
const maxStoredDepth = maxJsonDepth + 16;

/**
 * Reads JSON that the store keeps, and never throws: a row that was written before there was a bound on depth, or
 * that somebody damaged, must not take the page, the stream or the bill along that it is part of. What is nested too
 * deep is null from there on; what is no JSON is an empty object. Numbers keep their digits.
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
