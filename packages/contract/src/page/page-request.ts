import { type Static, Type } from 'typebox';
import { pageFormats } from './page-formats.ts';

/** The parameters of a page call, beside those of a create. Names are those that Cloudflare and Browserless share. */

export const maxPageTimeoutMs = 120_000;
export const defaultPageTimeoutMs = 30_000;
/** Of `html`, and of each script or style that is added. */
export const maxPageText = 2 * 2 ** 20;

const selector = Type.String({ minLength: 1, maxLength: 2000, description: 'A CSS selector' });
const timeout = Type.Integer({ minimum: 0, maximum: maxPageTimeoutMs, description: 'Milliseconds' });
const strict = { additionalProperties: false } as const;
/** An object with any of these members and no others. */
const some = <T extends Parameters<typeof Type.Object>[0]>(members: T) =>
  Type.Partial(Type.Object(members), strict);

const waitUntil = Type.Union(
  ['load', 'domcontentloaded', 'networkidle0', 'networkidle2'].map((name) => Type.Literal(name)),
);

export const GotoOptions = some({
  timeout,
  waitUntil: Type.Union([waitUntil, Type.Array(waitUntil, { minItems: 1, maxItems: 4 })]),
  referer: Type.String({ maxLength: 2000 }),
});

export const Viewport = Type.Object(
  {
    width: Type.Integer({ minimum: 1, maximum: 7680 }),
    height: Type.Integer({ minimum: 1, maximum: 7680 }),
    deviceScaleFactor: Type.Optional(Type.Number({ minimum: 0.1, maximum: 4 })),
    isMobile: Type.Optional(Type.Boolean()),
    hasTouch: Type.Optional(Type.Boolean()),
    isLandscape: Type.Optional(Type.Boolean()),
  },
  strict,
);

export const PageCookie = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 4096 }),
    value: Type.String({ maxLength: 4096 }),
    url: Type.Optional(Type.String({ maxLength: 2000 })),
    domain: Type.Optional(Type.String({ maxLength: 255 })),
    path: Type.Optional(Type.String({ maxLength: 2000 })),
    expires: Type.Optional(Type.Number({ description: 'Seconds since 1970' })),
    httpOnly: Type.Optional(Type.Boolean()),
    secure: Type.Optional(Type.Boolean()),
    sameSite: Type.Optional(Type.Union(['Strict', 'Lax', 'None'].map((name) => Type.Literal(name)))),
  },
  strict,
);

const Clip = Type.Object(
  {
    x: Type.Number(),
    y: Type.Number(),
    width: Type.Number({ exclusiveMinimum: 0, maximum: 20_000 }),
    height: Type.Number({ exclusiveMinimum: 0, maximum: 20_000 }),
    scale: Type.Optional(Type.Number({ minimum: 0.1, maximum: 4 })),
  },
  strict,
);

export const ScreenshotOptions = some({
  type: Type.Union(['png', 'jpeg', 'webp'].map((name) => Type.Literal(name))),
  quality: Type.Integer({ minimum: 0, maximum: 100 }),
  fullPage: Type.Boolean(),
  omitBackground: Type.Boolean(),
  captureBeyondViewport: Type.Boolean(),
  optimizeForSpeed: Type.Boolean(),
  clip: Clip,
  encoding: Type.Union(['binary', 'base64'].map((name) => Type.Literal(name))),
});

const length = Type.Union([Type.Number({ minimum: 0, maximum: 20_000 }), Type.String({ maxLength: 20 })], {
  description: 'Pixels, or a number with px, in, cm or mm',
});

export const PdfOptions = some({
  format: Type.String({ maxLength: 10, description: 'letter, legal, tabloid, ledger or a0 to a6' }),
  width: length,
  height: length,
  landscape: Type.Boolean(),
  scale: Type.Number({ minimum: 0.1, maximum: 2 }),
  margin: some({ top: length, right: length, bottom: length, left: length }),
  printBackground: Type.Boolean(),
  omitBackground: Type.Boolean(),
  preferCSSPageSize: Type.Boolean(),
  displayHeaderFooter: Type.Boolean(),
  headerTemplate: Type.String({ maxLength: 100_000 }),
  footerTemplate: Type.String({ maxLength: 100_000 }),
  pageRanges: Type.String({ maxLength: 200 }),
  tagged: Type.Boolean(),
  outline: Type.Boolean(),
  timeout,
});

export const resourceTypes = [
  ...['document', 'stylesheet', 'image', 'media', 'font', 'script', 'texttrack', 'xhr', 'fetch', 'prefetch'],
  ...['eventsource', 'websocket', 'manifest', 'ping', 'other'],
];

/** How a page is loaded, and what is read of it. */
export const PageParameters = some({
  url: Type.String({ minLength: 1, maxLength: 8192, description: 'The page to load: http or https' }),
  html: Type.String({ maxLength: maxPageText, description: 'A document to show instead of a url' }),
  gotoOptions: GotoOptions,
  viewport: Viewport,
  cookies: Type.Array(PageCookie, { maxItems: 300 }),
  authenticate: Type.Object(
    { username: Type.String({ maxLength: 1000 }), password: Type.String({ maxLength: 1000 }) },
    strict,
  ),
  setExtraHTTPHeaders: Type.Record(
    Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$" }),
    Type.String({ maxLength: 8192, pattern: '^[^\\r\\n\\0]*$' }),
    { maxProperties: 100 },
  ),
  userAgent: Type.String({ maxLength: 1000, pattern: '^[ -~]*$' }),
  addScriptTag: Type.Array(
    some({
      content: Type.String({ maxLength: maxPageText }),
      url: Type.String({ maxLength: 8192 }),
      type: Type.String({ maxLength: 100 }),
    }),
    { maxItems: 20 },
  ),
  addStyleTag: Type.Array(
    some({ content: Type.String({ maxLength: maxPageText }), url: Type.String({ maxLength: 8192 }) }),
    { maxItems: 20 },
  ),
  waitForSelector: Type.Object(
    {
      selector,
      visible: Type.Optional(Type.Boolean()),
      hidden: Type.Optional(Type.Boolean()),
      timeout: Type.Optional(timeout),
    },
    strict,
  ),
  waitForTimeout: timeout,
  waitForFunction: Type.Object(
    {
      fn: Type.String({ minLength: 1, maxLength: 100_000, description: 'A function or expression' }),
      polling: Type.Optional(Type.Union([Type.Integer({ minimum: 10 }), Type.String()])),
      timeout: Type.Optional(timeout),
    },
    strict,
  ),
  emulateMediaType: Type.Union(['screen', 'print'].map((name) => Type.Literal(name))),
  rejectResourceTypes: Type.Array(Type.Union(resourceTypes.map((name) => Type.Literal(name))), {
    maxItems: resourceTypes.length,
  }),
  rejectRequestPattern: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
    maxItems: 50,
    description:
      'Regular expressions in the syntax of RE2. A request whose URL one of them finds is not sent',
  }),
  setJavaScriptEnabled: Type.Boolean(),
  scrollPage: Type.Boolean({ description: 'Scrolls down first, so that what loads late is there' }),
  blockConsentModals: Type.Boolean({
    description: "Consent banners are not loaded, or removed, by the operator's filter lists",
  }),
  bestAttempt: Type.Boolean({ description: 'Goes on when a load or a wait times out or fails' }),
  ignoreHttpErrors: Type.Boolean({ description: 'A page with a status of 400 or more is no error' }),
  selector,
  screenshotOptions: ScreenshotOptions,
  pdfOptions: PdfOptions,
  elements: Type.Array(Type.Object({ selector, timeout: Type.Optional(timeout) }, strict), {
    minItems: 1,
    maxItems: 100,
    description: 'What scrape reads',
  }),
  visibleLinksOnly: Type.Boolean(),
  onlyMainContent: Type.Boolean({ description: 'Markdown of the main content alone. The default' }),
  includeTags: Type.Array(selector, { maxItems: 50, description: 'Markdown of these elements alone' }),
  excludeTags: Type.Array(selector, { maxItems: 50, description: 'Elements that are left out of Markdown' }),
  frontMatter: Type.Boolean({ description: 'Markdown begins with title, author, date and address' }),
});
export type PageParameters = Static<typeof PageParameters>;

/** What `POST /api/page/json` wants to know of a page. */
export const JsonExtraction = Type.Object({
  schema: Type.Object({}, { additionalProperties: true, description: 'A JSON schema' }),
  prompt: Type.Optional(Type.String({ maxLength: 8192, description: 'What to look for' })),
});

export const PageFormats = Type.Array(Type.Union(pageFormats.map((name) => Type.Literal(name))), {
  minItems: 1,
  maxItems: pageFormats.length,
});
