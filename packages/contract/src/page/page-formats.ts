/** What a page can be given as. */
export const pageFormats = [
  'screenshot',
  'pdf',
  'content',
  'markdown',
  'links',
  'scrape',
  'snapshot',
  'accessibility',
] as const;
export type PageFormat = (typeof pageFormats)[number];

/** Those that are bytes or text of their own. The others are JSON. */
export const rawFormats = ['screenshot', 'pdf', 'content', 'markdown'] as const satisfies PageFormat[];
