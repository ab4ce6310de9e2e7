import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Page } from 'playwright-core';
import { SessionEndedError, SessionNotFoundError, TurnpikeError } from 'turnpike-client';
import type { AgentBrowser } from './agent-browser.ts';
import type { AgentBrowsers } from './agent-browsers.ts';
import { refusal } from './tool-answers.ts';

/** Below the minute after which agents give up on an answer. */
const answerTimeoutMs = 55_000;

/** Runs `work` on the session's page and returns its result, or the error for the agent. */
export async function drivePage(
  browsers: AgentBrowsers,
  sessionId: string | undefined,
  work: (page: Page) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  let browser: AgentBrowser | undefined;
  try {
    browser = browsers.find(sessionId);
    return await inTime(browser.page().then(work));
  } catch (error) {
    const told = browser ? await reasonOf(error, browser) : error;
    if (browser && (told instanceof SessionEndedError || told instanceof SessionNotFoundError)) {
      await browsers.forget(browser.sessionId);
    }
    return refusal(told);
  }
}

/** The reason of a failure: that the session has ended says more than the page's error. */
async function reasonOf(error: unknown, browser: AgentBrowser): Promise<unknown> {
  if (error instanceof TurnpikeError) return error;
  try {
    await browser.expectRunning();
    return error;
  } catch (ended) {
    return ended instanceof SessionEndedError ? ended : error;
  }
}

/** Adds a timeout: a page whose script never yields does not answer, and most page calls have no timeout. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const words = 'The page does not answer. Close the session and open another.';
  const timer = setTimeout(() => late.reject(new Error(words)), answerTimeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
