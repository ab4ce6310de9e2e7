import { ConnectQuery, CreateBody, IdempotencyHeaders } from '@turnpike/contract/create';
import type { ApiErrorName } from '@turnpike/contract/error-help';
import { type PageFormat, pageFormats } from '@turnpike/contract/page/page-formats';
import { JsonExtraction, PageFormats, PageParameters } from '@turnpike/contract/page/page-request';
import { PageResults } from '@turnpike/contract/page/page-results';
import { Type } from 'typebox';
import { createErrors } from '../creates/create-api.ts';
import { type ApiAnswer, type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of page calls. */

const common = { tag: 'Pages', headers: IdempotencyHeaders } as const;

const errors: readonly ApiErrorName[] = [
  ...createErrors,
  'conflict',
  'pageUrl',
  'pageFailed',
  'pageSessionLost',
  'pageCallsOff',
  'tooManyPages',
];

const headers = Type.Object({
  'x-session-id': Type.String({ description: 'The session that loaded the page' }),
  'x-page-url': Type.String({ description: 'After redirects' }),
  'x-page-status': Type.Optional(Type.Integer({ description: "The page's own HTTP status" })),
  'x-browser-ms': Type.Integer({ description: 'How long the browser took' }),
  'x-content-type-options': Type.String(),
  'content-disposition': Type.Optional(Type.String({ description: 'Where the address was a download' })),
  'x-bytes': Type.Optional(Type.Integer({ description: 'Bytes through the proxy' })),
  'x-turnpike-warnings': Type.Optional(
    Type.String({ description: 'What the call asks for and does not get: a JSON array of sentences' }),
  ),
});

const bodyMembers = {
  ...PageParameters.properties,
  ...CreateBody.properties,
  options: Type.Optional(
    Type.Object(
      {},
      { additionalProperties: true, description: 'The same as screenshotOptions or pdfOptions' },
    ),
  ),
  sessionId: Type.Optional(
    Type.String({
      description: 'Acts on this session, and on its page as it stands where there is no `url` and no `html`',
    }),
  ),
};

const what: Record<PageFormat, { summary: string; description: string; type: string }> = {
  screenshot: {
    summary: 'Take a picture of a page',
    description: 'A PNG, JPEG or WebP of the viewport, of the whole page or of one element.',
    type: 'image/png',
  },
  pdf: { summary: 'Print a page to PDF', description: 'As Chromium prints it.', type: 'application/pdf' },
  content: {
    summary: 'Read the HTML of a page',
    description: 'The document after its scripts ran. A target that is no HTML comes as it is.',
    type: 'text/html',
  },
  markdown: {
    summary: 'Read a page as Markdown',
    description: 'The main content with tables, code, lists, links and images, and front matter.',
    type: 'text/markdown',
  },
  links: {
    summary: 'List the links of a page',
    description: 'Absolute addresses, each once.',
    type: 'application/json',
  },
  scrape: {
    summary: 'Read elements of a page',
    description: 'For each selector: text, HTML, attributes and place of the elements.',
    type: 'application/json',
  },
  snapshot: {
    summary: 'Read the HTML and a picture of a page',
    description: 'Both from one load.',
    type: 'application/json',
  },
  accessibility: {
    summary: 'Read the accessibility tree of a page',
    description: 'Roles, names and states, as assistive technology sees them.',
    type: 'application/json',
  },
};

const report = {
  status: 200,
  url: 'https://example.com/',
  title: 'Example Domain',
  timings: { loaded: 92, ready: 95, total: 131 },
  consoleErrors: [],
  failedRequests: [],
  warnings: [],
};
const jsonExample = (results: object) => ({
  sessionId: 'br_0123456789abcdef01234567',
  page: report,
  results,
});
const examples: Partial<Record<PageFormat, unknown>> = {
  links: ['https://example.com/a'],
  scrape: [
    {
      selector: 'h1',
      results: [{ text: 'Example Domain', html: 'Example Domain', attributes: [], width: 600, height: 38 }],
    },
  ],
  snapshot: { content: '<html>…</html>', screenshot: 'iVBORw0KGgo…' },
  accessibility: { role: 'RootWebArea', name: 'Example Domain', children: [] },
};

function answerOf(format: PageFormat): ApiAnswer {
  const { description, type } = what[format];
  const isJson = type === 'application/json';
  return {
    description,
    headers,
    content: isJson
      ? json(PageResults, jsonExample({ [format]: examples[format] }))
      : { [type]: { schema: Type.String() }, '*/*': { schema: Type.String() } },
  };
}

const rules =
  'Opens a session, loads the page, answers and closes the session: limits, bill, ledger and receipt are those of any ' +
  'session. Takes every parameter of a create beside those of the page. A page that does not load is a 422 whose ' +
  'code begins with `PAGE_`.';

export const pageFormatApi = (format: PageFormat): ApiDescription => ({
  ...common,
  id: `${format}Page`,
  summary: what[format].summary,
  description: `${what[format].description} ${rules}`,
  security: ['apiKey'],
  body: json(Type.Object(bodyMembers, { additionalProperties: true }), {
    url: 'https://example.com/',
    proxy: 'http://user:password@proxy.example:8000',
  }),
  answers: { 200: answerOf(format) },
  errors,
});

export const pageJsonApi: ApiDescription = {
  ...common,
  id: 'jsonPage',
  summary: 'Make JSON of a page',
  description:
    'Markdown of the page goes to your own model endpoint (`PUT /user/api/model`) with a JSON schema. An answer that ' +
    `does not fit the schema is an error. ${rules}`,
  security: ['apiKey'],
  body: json(Type.Object({ ...JsonExtraction.properties, ...bodyMembers }, { additionalProperties: true }), {
    url: 'https://example.com/',
    proxy: 'http://user:password@proxy.example:8000',
    schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  }),
  answers: {
    200: {
      description: 'What the model made of the page.',
      headers,
      content: json(PageResults, jsonExample({ json: { title: 'Example Domain' } })),
    },
  },
  errors: [...errors, 'noModel', 'modelFailed', 'modelAnswerInvalid'],
};

export const pageQueryApi = (format: PageFormat): ApiDescription => ({
  ...common,
  id: `${format}PageByQuery`,
  summary: `${what[format].summary}, by its address alone`,
  description: `For an \`<img>\` or a command line. Parameters that are objects or lists are JSON. ${rules}`,
  security: ['apiKey', 'apiKeyInQuery'],
  query: Type.Object({
    url: Type.String({ description: 'The page to load: http or https' }),
    ...ConnectQuery.properties,
  }),
  answers: { 200: answerOf(format) },
  errors,
});

export const pageApi: ApiDescription = {
  ...common,
  id: 'readPage',
  summary: 'Read a page in several formats',
  description: `From one load. Pictures and PDFs are base64. ${rules}`,
  security: ['apiKey'],
  body: json(Type.Object({ formats: PageFormats, ...bodyMembers }, { additionalProperties: true }), {
    url: 'https://example.com/',
    proxy: 'http://user:password@proxy.example:8000',
    formats: ['markdown', 'links'],
  }),
  answers: {
    200: {
      description: `Any of ${pageFormats.join(', ')}.`,
      headers,
      content: json(
        PageResults,
        jsonExample({ markdown: '# Example Domain', links: ['https://example.com/a'] }),
      ),
    },
  },
  errors,
};
