import { type Static, Type } from 'typebox';

/** What is known of a page, in an answer. */
export const PageFacts = Type.Object({
  status: Type.Optional(Type.Integer({ description: "The document's HTTP status, if there was a response" })),
  url: Type.String({ description: 'After redirects' }),
  title: Type.Optional(Type.String()),
  contentType: Type.Optional(Type.String()),
  etag: Type.Optional(Type.String({ description: "The document's `etag` header" })),
  lastModified: Type.Optional(
    Type.String({ description: "The document's `last-modified` header, as it came" }),
  ),
  timings: Type.Object(
    {
      loaded: Type.Optional(Type.Number()),
      ready: Type.Optional(Type.Number()),
      total: Type.Number(),
    },
    { description: 'Milliseconds since the call reached the browser: loaded, waits done, all read' },
  ),
  bytes: Type.Optional(Type.Integer({ description: 'Through the proxy, up and down' })),
  consoleErrors: Type.Array(Type.String(), { description: 'The first ones' }),
  failedRequests: Type.Array(Type.Object({ url: Type.String(), reason: Type.String() }), {
    description: 'The first ones',
  }),
  warnings: Type.Array(Type.String(), {
    description: 'Limits that were reached, and waits that were given up',
  }),
});

/** The JSON of a page call. */
export const PageResults = Type.Object({
  sessionId: Type.String({ description: 'The session that loaded the page' }),
  page: PageFacts,
  results: Type.Object(
    {
      screenshot: Type.Optional(Type.String({ description: 'Base64' })),
      pdf: Type.Optional(Type.String({ description: 'Base64' })),
      content: Type.Optional(Type.String({ description: 'HTML' })),
      markdown: Type.Optional(Type.String()),
      links: Type.Optional(Type.Array(Type.String())),
      scrape: Type.Optional(
        Type.Array(Type.Object({}, { additionalProperties: true }), {
          description: 'For each of `elements`: `selector` and `results`',
        }),
      ),
      snapshot: Type.Optional(
        Type.Object({
          content: Type.String({ description: 'HTML' }),
          screenshot: Type.String({ description: 'Base64' }),
        }),
      ),
      json: Type.Optional(Type.Unknown({ description: 'What the model made of the page' })),
      accessibility: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'A tree' })),
    },
    { description: 'By format' },
  ),
});
export type PageResults = Static<typeof PageResults>;
