// Written by scripts/generate/page-parameters.ts from the parameters of page calls: do not edit.

export type PageFormat =
  | 'screenshot'
  | 'pdf'
  | 'content'
  | 'markdown'
  | 'links'
  | 'scrape'
  | 'snapshot'
  | 'accessibility';

export type WaitUntil = 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';

export type RejectedType =
  | 'document'
  | 'stylesheet'
  | 'image'
  | 'media'
  | 'font'
  | 'script'
  | 'texttrack'
  | 'xhr'
  | 'fetch'
  | 'prefetch'
  | 'eventsource'
  | 'websocket'
  | 'manifest'
  | 'ping'
  | 'other';

export interface GotoOptions {
  /** Milliseconds. */
  timeout?: number;
  waitUntil?: WaitUntil | readonly WaitUntil[];
  referer?: string;
}

export interface Viewport {
  width: number;
  height: number;
  deviceScaleFactor?: number;
  isMobile?: boolean;
  hasTouch?: boolean;
  isLandscape?: boolean;
}

export interface PageCookie {
  name: string;
  value: string;
  url?: string;
  domain?: string;
  path?: string;
  /** Seconds since 1970. */
  expires?: number;
  httpOnly?: boolean;
  secure?: boolean;
  sameSite?: 'Strict' | 'Lax' | 'None';
}

export interface PageLogin {
  username: string;
  password: string;
}

export interface ScriptTag {
  content?: string;
  url?: string;
  type?: string;
}

export interface StyleTag {
  content?: string;
  url?: string;
}

export interface WaitForSelector {
  /** A CSS selector. */
  selector: string;
  visible?: boolean;
  hidden?: boolean;
  /** Milliseconds. */
  timeout?: number;
}

export interface WaitForFunction {
  /** A function or expression. */
  fn: string;
  polling?: number | string;
  /** Milliseconds. */
  timeout?: number;
}

export interface ScreenshotClip {
  x: number;
  y: number;
  width: number;
  height: number;
  scale?: number;
}

export interface ScreenshotOptions {
  type?: 'png' | 'jpeg' | 'webp';
  quality?: number;
  fullPage?: boolean;
  omitBackground?: boolean;
  captureBeyondViewport?: boolean;
  optimizeForSpeed?: boolean;
  clip?: ScreenshotClip;
  encoding?: 'binary' | 'base64';
}

export interface PdfMargin {
  /** Pixels, or a number with px, in, cm or mm. */
  top?: number | string;
  /** Pixels, or a number with px, in, cm or mm. */
  right?: number | string;
  /** Pixels, or a number with px, in, cm or mm. */
  bottom?: number | string;
  /** Pixels, or a number with px, in, cm or mm. */
  left?: number | string;
}

export interface PdfOptions {
  /** letter, legal, tabloid, ledger or a0 to a6. */
  format?: string;
  /** Pixels, or a number with px, in, cm or mm. */
  width?: number | string;
  /** Pixels, or a number with px, in, cm or mm. */
  height?: number | string;
  landscape?: boolean;
  scale?: number;
  margin?: PdfMargin;
  printBackground?: boolean;
  omitBackground?: boolean;
  preferCSSPageSize?: boolean;
  displayHeaderFooter?: boolean;
  headerTemplate?: string;
  footerTemplate?: string;
  pageRanges?: string;
  tagged?: boolean;
  outline?: boolean;
  /** Milliseconds. */
  timeout?: number;
}

export interface ElementToScrape {
  /** A CSS selector. */
  selector: string;
  /** Milliseconds. */
  timeout?: number;
}

/** How a page is loaded, and what is read of it. */
export interface PageParameters {
  /** The page to load: http or https. */
  url?: string;
  /** A document to show instead of a url. */
  html?: string;
  gotoOptions?: GotoOptions;
  viewport?: Viewport;
  cookies?: readonly PageCookie[];
  authenticate?: PageLogin;
  setExtraHTTPHeaders?: Readonly<Record<string, string>>;
  userAgent?: string;
  addScriptTag?: readonly ScriptTag[];
  addStyleTag?: readonly StyleTag[];
  waitForSelector?: WaitForSelector;
  /** Milliseconds. */
  waitForTimeout?: number;
  waitForFunction?: WaitForFunction;
  emulateMediaType?: 'screen' | 'print';
  rejectResourceTypes?: readonly RejectedType[];
  /** Regular expressions in the syntax of RE2. A request whose URL one of them finds is not sent. */
  rejectRequestPattern?: readonly string[];
  setJavaScriptEnabled?: boolean;
  /** Scrolls down first, so that what loads late is there. */
  scrollPage?: boolean;
  /** Consent banners are not loaded, or removed, by the operator's filter lists. */
  blockConsentModals?: boolean;
  /** Goes on when a load or a wait times out or fails. */
  bestAttempt?: boolean;
  /** A page with a status of 400 or more is no error. */
  ignoreHttpErrors?: boolean;
  /** A CSS selector. */
  selector?: string;
  screenshotOptions?: ScreenshotOptions;
  pdfOptions?: PdfOptions;
  /** What scrape reads. */
  elements?: readonly ElementToScrape[];
  visibleLinksOnly?: boolean;
  /** Markdown of the main content alone. The default. */
  onlyMainContent?: boolean;
  /** Markdown of these elements alone. */
  includeTags?: readonly string[];
  /** Elements that are left out of Markdown. */
  excludeTags?: readonly string[];
  /** Markdown begins with title, author, date and address. */
  frontMatter?: boolean;
}

/** What is crawled, and how fast. */
export interface CrawlParameters {
  /** Where a crawl begins. */
  url?: string;
  /** In place of `url`: a batch. These pages are loaded, and no links of theirs. */
  urls?: readonly string[];
  /** How many pages are taken up. */
  limit?: number;
  /** How many links lead from the first page to the last one. Default: no limit. */
  depth?: number;
  /**
   * Only addresses that one of these matches are taken up. `*` stands for anything but `/`, `**` for
   * anything. The first page is always loaded.
   */
  includePatterns?: readonly string[];
  /** Addresses that one of these matches are not taken up. */
  excludePatterns?: readonly string[];
  /** Whether addresses come from sitemaps too, from them alone, or from links alone. */
  sitemap?: 'include' | 'only' | 'skip';
  /** Whether pages on subdomains of the first page's host belong to the crawl. */
  subdomains?: boolean;
  formats?: readonly PageFormat[];
  /** Milliseconds between the beginnings of two loads from one host. */
  delay?: number;
  /** Whether robots.txt is obeyed, with its crawl-delay. */
  robots?: boolean;
  /** How many pages of one host are loaded at once. */
  hostConcurrency?: number;
  /** How many sessions it has at once. Default: half of the account's limit. */
  concurrency?: number;
  /** Whether pages that name the same canonical address are kept all. A batch's always are. */
  ignoreCanonical?: boolean;
  /** Whether `utm_…`, `gclid`, `fbclid` and the like are taken out of addresses. */
  dropTracking?: boolean;
  /** A page that is as it was in the account's last crawl of it has no formats in the results. */
  skipUnchanged?: boolean;
}

export const pageParameterNames = [
  'url',
  'html',
  'gotoOptions',
  'viewport',
  'cookies',
  'authenticate',
  'setExtraHTTPHeaders',
  'userAgent',
  'addScriptTag',
  'addStyleTag',
  'waitForSelector',
  'waitForTimeout',
  'waitForFunction',
  'emulateMediaType',
  'rejectResourceTypes',
  'rejectRequestPattern',
  'setJavaScriptEnabled',
  'scrollPage',
  'blockConsentModals',
  'bestAttempt',
  'ignoreHttpErrors',
  'selector',
  'screenshotOptions',
  'pdfOptions',
  'elements',
  'visibleLinksOnly',
  'onlyMainContent',
  'includeTags',
  'excludeTags',
  'frontMatter',
] as const satisfies (keyof PageParameters)[];

export const crawlParameterNames = [
  'url',
  'urls',
  'limit',
  'depth',
  'includePatterns',
  'excludePatterns',
  'sitemap',
  'subdomains',
  'formats',
  'delay',
  'robots',
  'hostConcurrency',
  'concurrency',
  'ignoreCanonical',
  'dropTracking',
  'skipUnchanged',
] as const satisfies (keyof CrawlParameters)[];
