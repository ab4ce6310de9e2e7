import { maxPageAnswerBytes } from '@turnpike/contract/page/page-call';
import type { Protocol } from 'devtools-protocol';
import { PageError } from '../page-error.ts';
import { CommandError, type DevTools, type LargeAnswer } from './devtools.ts';

/** A world can go with its document at any moment. A page that changes more often is not read. */
const maxTries = 5;
/** A wait goes on in the next document. */
const maxRepeats = 100;
const slackBytes = 64 * 1024;
/** The largest message whose answer still fits into a page call's answer, as base64. */
export const maxMessageBytes = Math.ceil((maxPageAnswerBytes * 4) / 3) + slackBytes;

/** A world in the page's main frame in which the page's own scripts cannot change anything. */
export class PageWorld {
  readonly #devtools: DevTools;
  readonly #frameId: string;
  #contextId: Promise<number> | undefined;

  constructor(devtools: DevTools, frameId: string) {
    this.#devtools = devtools;
    this.#frameId = frameId;
  }

  /** Begins to make the world, so that it is there when it is needed. */
  prepare(): Promise<number> {
    this.#contextId ??= this.#devtools
      .send('Page.createIsolatedWorld', { frameId: this.#frameId })
      .then(({ executionContextId }) => executionContextId);
    this.#contextId.catch(() => {});
    return this.#contextId;
  }

  /** Resolves with a short string. */
  async evaluateText(expression: string, tries: 'once more' | 'repeat' = 'once more'): Promise<string> {
    const { result } = await this.#evaluate(
      expression,
      (params) => this.#devtools.send('Runtime.evaluate', params).then(checked),
      tries === 'repeat' ? maxRepeats : maxTries,
    );
    return String(result.value);
  }

  /** Resolves with a message that has a string as `value`. */
  evaluateLarge(expression: string): Promise<LargeAnswer> {
    return this.#evaluate(expression, async (params) => {
      const answer = await this.#devtools.sendForBytes('Runtime.evaluate', params, maxMessageBytes);
      const start = answer.bytes.toString('latin1', 0, 200);
      if (!start.includes('"type":"string"') || start.includes('"exceptionDetails"')) {
        using _ = answer;
        checked(parsedResult(answer.bytes));
      }
      return answer;
    });
  }

  async #evaluate<Answer>(
    expression: string,
    send: (params: Protocol.Runtime.EvaluateRequest) => Promise<Answer>,
    mayTry = maxTries,
  ): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        const contextId = await this.prepare();
        return await send({ expression, contextId, returnByValue: true, awaitPromise: true });
      } catch (error) {
        if (!(error instanceof CommandError) || tries === mayTry) throw error;
        this.#contextId = undefined;
        // A page that reloads itself again and again is read as it is now.
        if (mayTry === maxTries) this.#devtools.tell('Page.stopLoading', {});
      }
    }
  }
}

function parsedResult(bytes: Buffer): Protocol.Runtime.EvaluateResponse {
  if (bytes.length > 2 ** 20) throw new PageError('PAGE_SCRIPT', 'A script in the page failed.');
  return (JSON.parse(bytes.toString()) as { result: Protocol.Runtime.EvaluateResponse }).result;
}

/** Throws what a script in the page has thrown. */
export function checked(answer: Protocol.Runtime.EvaluateResponse): Protocol.Runtime.EvaluateResponse {
  const { exceptionDetails: details } = answer;
  if (!details) return answer;
  const text = details.exception?.description ?? details.text;
  const [line = ''] = text.split('\n', 1);
  throw new PageError('PAGE_SCRIPT', `A script in the page failed: ${line.slice(0, 500)}`);
}
