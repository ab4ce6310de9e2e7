import type { OpenApiDocument } from '../http/openapi/openapi.ts';
import type { GuideLibrary } from './guide-library.ts';
import type { Entry } from './page/find.ts';

/** Builds what the search field looks through: each section of each guide, and each operation of the API. */
export async function searchIndex(library: GuideLibrary, document: OpenApiDocument): Promise<Entry[]> {
  const entries: Entry[] = [];
  // One after the other, so that other requests are answered in between.
  for (const guide of library.guides) {
    // Decisions are for those who change the service, and the overview only names what is found anyway.
    if (guide.file.startsWith('docs/decisions/') || guide.url === '/docs') continue;
    for (const { heading, anchor, level, text } of await library.sections(guide)) {
      const url = level === 1 ? guide.url : `${guide.url}#${anchor}`;
      entries.push({ page: guide.title, heading: level === 1 ? '' : heading, url, text });
    }
  }
  return [...entries, ...operations(document)];
}

function operations(document: OpenApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, description = '' }]) => ({
      page: 'API reference',
      heading: summary,
      url: `/docs/reference#${operationId}`,
      text: `${method.toUpperCase()} ${path} ${description}`.replaceAll(/[\s`]+/g, ' ').trim(),
    })),
  );
}
