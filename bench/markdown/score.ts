export interface Score {
  precision: number;
  recall: number;
  f1: number;
}

/** What one page adds to a set's score. Nothing where the set's own script leaves the page out. */
export interface PageScore {
  precision?: number;
  recall?: number;
  f1: number;
}

/**
 * As evaluate.py of the article set: shingles of four words; means of precision and of recall over the pages, and F1 of
 * these means.
 */
export function shingleScore(pages: readonly { truth: string; text: string }[]): Score {
  const scores = pages.map(({ truth, text }) => shinglesOf(truth, text));
  const precision = mean(scores.flatMap((score) => score.precision ?? []));
  const recall = mean(scores.flatMap((score) => score.recall ?? []));
  return { precision, recall, f1: harmonic(precision, recall) };
}

export function shinglesOf(truth: string, text: string): PageScore {
  const expected = counts(shingles(truth));
  const found = counts(shingles(text));
  const shared = overlap(expected.counts, found.counts);
  const precision = found.total === 0 ? undefined : shared / found.total;
  const recall = expected.total === 0 ? undefined : shared / expected.total;
  return {
    ...(precision === undefined ? {} : { precision }),
    ...(recall === undefined ? {} : { recall }),
    f1: harmonic(precision ?? 0, recall ?? 0),
  };
}

function shingles(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  if (words.length === 0) return [];
  return Array.from({ length: Math.max(1, words.length - 3) }, (_, at) => words.slice(at, at + 4).join(' '));
}

/** As evaluate.py of the web set: words without their order or case; means over the pages. */
export function wordScore(pages: readonly { truth: string; text: string }[]): Score {
  const scores = pages.map(({ truth, text }) => wordsOf(truth, text));
  return {
    precision: mean(scores.map((score) => score.precision)),
    recall: mean(scores.map((score) => score.recall)),
    f1: mean(scores.map((score) => score.f1)),
  };
}

export function wordsOf(truth: string, text: string): Score {
  const words = (value: string) => counts(value.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []);
  const expected = words(truth);
  const found = words(text);
  if (expected.total === 0 && found.total === 0) return { precision: 1, recall: 1, f1: 1 };
  if (expected.total === 0 || found.total === 0) return { precision: 0, recall: 0, f1: 0 };
  const shared = overlap(expected.counts, found.counts);
  const precision = shared / found.total;
  const recall = shared / expected.total;
  return { precision, recall, f1: harmonic(precision, recall) };
}

function counts(items: readonly string[]): { counts: Map<string, number>; total: number } {
  const found = new Map<string, number>();
  for (const item of items) found.set(item, (found.get(item) ?? 0) + 1);
  return { counts: found, total: items.length };
}

function overlap(one: Map<string, number>, other: Map<string, number>): number {
  let shared = 0;
  for (const [item, count] of one) shared += Math.min(count, other.get(item) ?? 0);
  return shared;
}

function harmonic(precision: number, recall: number): number {
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
