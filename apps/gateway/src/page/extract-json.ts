import type { PageAnswer } from '@turnpike/contract/page/page-call';
import { JsonExtraction } from '@turnpike/contract/page/page-request';
import { badRequest } from '../http/api-error.ts';
import { parseWith } from '../http/parse-with.ts';
import { askModel, type Extraction } from '../models/ask-model.ts';
import type { PageContext } from './page-context.ts';

/** What a model reads of a page. */
const maxPageBytes = 256 * 1024;
const maxSchemaLength = 64 * 1024;

/** Reads what a call wants to know of a page. */
export function readExtraction({ schema, prompt }: Record<string, unknown>): Extraction {
  const read = parseWith(JsonExtraction, { schema, ...(prompt !== undefined && { prompt }) });
  if (JSON.stringify(read.schema).length > maxSchemaLength)
    throw badRequest(`schema must be at most ${maxSchemaLength} characters of JSON`, { field: 'schema' });
  return { schema: read.schema, prompt: read.prompt ?? '' };
}

/** Makes JSON of a page's Markdown. A page that did not load stays as it is. */
export async function extractJson(
  context: PageContext,
  accountId: string,
  extraction: Extraction,
  answer: PageAnswer,
  signal: AbortSignal,
): Promise<PageAnswer> {
  if ('error' in answer) return answer;
  const { report, body } = answer;
  const page = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, maxPageBytes));
  const json = await askModel(context, accountId, extraction, page.toString('utf8'), signal);
  const warnings =
    body.byteLength > maxPageBytes ? [`The model read the first ${maxPageBytes} bytes of the page.`] : [];
  return {
    report: { ...report, warnings: [...report.warnings, ...warnings] },
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ json })),
  };
}
