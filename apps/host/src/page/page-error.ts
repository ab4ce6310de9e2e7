import type { PageErrorCode } from '@turnpike/contract/page/page-call';

/** Why a page call has no page to give. It is an answer, with a code and a sentence that says what to do. */
export class PageError extends Error {
  readonly code: PageErrorCode;

  constructor(code: PageErrorCode, message: string) {
    super(message);
    this.name = 'PageError';
    this.code = code;
  }
}

/** Whatever was thrown, as the answer's error. */
export function pageErrorOf(error: unknown): { code: PageErrorCode; message: string } {
  if (error instanceof PageError) return { code: error.code, message: error.message };
  return { code: 'PAGE_FAILED', message: `The page could not be read: ${(error as Error).message}` };
}
