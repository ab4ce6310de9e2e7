import { readFileSync } from 'node:fs';
import { withoutTypes } from '@turnpike/process/without-types';
import type { Controller } from '../chromium/controller.ts';

const library = withoutTypes(readFileSync(new URL('./in-page/page-state.ts', import.meta.url), 'utf8'));

interface Page {
  targetId: string;
  /** A CDP session of the host's with it. */
  cdpSessionId: string;
}

/** Calls a function of `in-page/` in a world of its own. Rejects if the page is busy, gone, or another one by now. */
export async function callInPage(
  controller: Controller,
  { targetId, cdpSessionId }: Page,
  name: string,
  values: readonly unknown[],
  timeoutMs: number,
): Promise<unknown> {
  const options = { cdpSessionId, timeoutMs };
  const frame = { frameId: targetId, worldName: '' };
  const { executionContextId } = await controller.call('Page.createIsolatedWorld', frame, options);
  const written = values.map((value) => JSON.stringify(value) ?? 'undefined').join(', ');
  const { result, exceptionDetails } = await controller.call(
    'Runtime.evaluate',
    {
      expression: `(() => {'use strict';\n${library}\nreturn ${name}(${written});})()`,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    },
    options,
  );
  if (exceptionDetails) throw new Error(`${name} failed: ${exceptionDetails.text}`);
  return result.value;
}
