/** What the search looks through: a section of a guide, or an operation of the API. */
export interface Entry {
  page: string;
  /** Empty: the page itself. */
  heading: string;
  url: string;
  text: string;
}

export interface Found extends Entry {
  /** The part of the text where the words are. */
  excerpt: string;
}

const maxResults = 12;
const maxWords = 8;
const excerptLength = 120;

/** Finds the entries that have every word, or words that begin with it; best first. */
export function find(entries: readonly Entry[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  if (words.length === 0) return [];
  // backtracks: a literal word, in the reader's own browser.
  const patterns = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}`, 'iu'));
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, patterns) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxResults)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, patterns) }));
}

const escaped = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Counts a word in a title for more than one in the text. 0: a word is missing. */
function scoreOf({ page, heading, text }: Entry, patterns: readonly RegExp[]): number {
  let score = 0;
  for (const pattern of patterns) {
    const inTitles = (pattern.test(heading) ? 8 : 0) + (pattern.test(page) ? (heading ? 4 : 12) : 0);
    const found = inTitles + (pattern.test(text) ? 1 : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

function excerptOf(text: string, patterns: readonly RegExp[]): string {
  const places = patterns.map((pattern) => text.search(pattern)).filter((place) => place !== -1);
  const start = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - 40);
  const from = start === 0 ? 0 : text.indexOf(' ', start) + 1;
  const cut = text.slice(from, from + excerptLength);
  return `${from > 0 ? '… ' : ''}${cut}${from + excerptLength < text.length ? ' …' : ''}`;
}
