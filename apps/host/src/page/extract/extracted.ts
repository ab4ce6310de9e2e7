/** What the script of `extraction-script.ts` takes. */
export interface ExtractOptions {
  /** The page's address, after redirects. */
  url: string;
  /** As the response named it. Parameters such as `charset` may follow. */
  contentType: string;
  /** Only the main content, without navigation and the like. The default. */
  onlyMainContent?: boolean;
  /** CSS selectors. Only these elements, whole. */
  includeTags?: string[];
  /** CSS selectors. These elements are left out. */
  excludeTags?: string[];
  /** Begins with what is known of the page, in YAML. The default. */
  frontMatter?: boolean;
  /** The text of a target that the browser does not show, such as CSV. Without it: what the document has. */
  text?: string;
}

/** What is known of a page beside its content. */
export interface PageFacts {
  title?: string;
  author?: string;
  /** As the page says it, mostly in ISO 8601. */
  published?: string;
  description?: string;
  language?: string;
  /** The canonical address. */
  canonical?: string;
  /** The site's name. */
  site?: string;
}

export interface Extracted extends PageFacts {
  markdown: string;
  /**
   * Where the Markdown comes from. `defuddle` and `readability` found the main content; `page` is the whole page and
   * `selected` are the elements of `includeTags`. The others are targets that are not HTML.
   */
  source:
    | 'defuddle'
    | 'readability'
    | 'page'
    | 'selected'
    | 'text'
    | 'json'
    | 'xml'
    | 'image'
    | 'media'
    | 'pdf';
  /** Set if a limit was reached, and so something is missing at the end. */
  truncated?: boolean;
}

/** The longest Markdown, in characters. */
export const maxMarkdownCharacters = 8 * 2 ** 20;
