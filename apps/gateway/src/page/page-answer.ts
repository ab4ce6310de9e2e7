import type { PageAnswer } from '@turnpike/contract/page/page-call';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../http/api-error.ts';

/** The answer to a page call, as it is sent and kept. */
export interface PageReply {
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Types that a browser shows without running anything. Others come from a page, and must not run in our pages' origin. */
const plainTypes = /^(?:image\/(?:png|jpeg|webp)|application\/(?:pdf|json)|text\/(?:plain|markdown))(?:;|$)/;

/** Throws if the page did not load. */
export function presentPage(sessionId: string, answer: PageAnswer, raw: boolean): PageReply {
  const { report } = answer;
  if ('error' in answer) {
    const { code, message } = answer.error;
    throw new ApiError('pageFailed', { code, message, members: { sessionId, page: report } });
  }
  const { type, body, fileName } = answer;
  const isRaw = raw || fileName !== undefined;
  const contentType = isRaw ? type : 'application/json; charset=utf-8';
  return {
    headers: {
      'content-type': contentType,
      'x-session-id': sessionId,
      'x-page-url': headerText(report.url),
      ...(report.status !== undefined && { 'x-page-status': String(report.status) }),
      'x-browser-ms': String(Math.round(report.timings.total)),
      ...(report.bytes !== undefined && { 'x-bytes': String(report.bytes) }),
      ...contentHeaders(contentType, fileName),
    },
    body: isRaw ? body : withReport(sessionId, answer.report, body),
  };
}

/** For what a page or a script has made. */
export const contentHeaders = (contentType: string, fileName?: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(!plainTypes.test(contentType) && { 'content-security-policy': 'sandbox' }),
  ...(fileName !== undefined && {
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`,
  }),
});

/** What the host made is JSON already, and may be large. */
function withReport(sessionId: string, report: object, results: Uint8Array): Buffer {
  const head = `${JSON.stringify({ sessionId, page: report }).slice(0, -1)},"results":`;
  return Buffer.concat([Buffer.from(head), results, Buffer.from('}')]);
}

/** Chromium's addresses are ASCII. What is not must not break the response. */
const headerText = (text: string): string => text.replace(/[^ -~]/g, '').slice(0, 4096);

export function sendPage(reply: FastifyReply, { headers, body }: PageReply): FastifyReply {
  return reply.headers(headers).send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}
