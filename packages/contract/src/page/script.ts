import { maxPageAnswerBytes } from './page-call.ts';

/**
 * What runs with Puppeteer in a session's sandbox, beside its browser.
 * - `function`: a script, whose result is answered.
 * - `download`: a script, and the file that it makes the browser download is answered.
 * - `performance`: Lighthouse, whose report is answered.
 */
export const scriptKinds = ['function', 'download', 'performance'] as const;
export type ScriptKind = (typeof scriptKinds)[number];

export const isScriptKind = (kind: unknown): kind is ScriptKind =>
  scriptKinds.some((known) => known === kind);

export type ScriptWork =
  | {
      kind: 'function' | 'download';
      /** A JavaScript module. Its default export is called with `page` and `context`. */
      code: string;
      context: Record<string, unknown>;
      /** The size of the script's page, as Puppeteer takes it. */
      viewport: Record<string, unknown>;
    }
  | {
      kind: 'performance';
      url: string;
      /** Lighthouse's; undefined means its default. */
      config?: Record<string, unknown>;
    };

export type ScriptCall = ScriptWork & {
  /** The whole call has this time, with the start of the script's process. */
  timeoutMs: number;
};

/** The largest script. */
export const maxScriptBytes = 2 ** 20;

/** The largest answer, as of a page call. */
export const maxScriptAnswerBytes = maxPageAnswerBytes;

export type ScriptErrorCode = 'SCRIPT_FAILED' | 'SCRIPT_TIMEOUT';

export type ScriptAnswer =
  | {
      /** The content type of the body. */
      type: string;
      body: Uint8Array;
      /** The name of the downloaded file. */
      fileName?: string;
    }
  | { error: { code: ScriptErrorCode; message: string } };
