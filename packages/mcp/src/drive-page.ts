import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Page } from 'playwright-core';
import { SessionEndedError, SessionNotFoundError, TurnpikeError } from 'turnpike-client';
import type { AgentBrowser } from './agent-browser.ts';
import type { AgentBrowsers } from './agent-browsers.ts';
import { refusal } from './tool-answers.ts';

/** Answers what `work` makes of the session's page, or what is to be told of why it could not. */
export async function drivePage(
  browsers: AgentBrowsers,
  sessionId: string | undefined,
  work: (page: Page) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  let browser: AgentBrowser | undefined;
  try {
    browser = browsers.find(sessionId);
    return await work(await browser.page());
  } catch (error) {
    const told = browser ? await reasonOf(error, browser) : error;
    if (browser && (told instanceof SessionEndedError || told instanceof SessionNotFoundError)) {
      await browsers.forget(browser.sessionId);
    }
    return refusal(told);
  }
}

/** That the session has ended says more than what it did to the page. */
async function reasonOf(error: unknown, browser: AgentBrowser): Promise<unknown> {
  if (error instanceof TurnpikeError) return error;
  try {
    await browser.expectRunning();
    return error;
  } catch (ended) {
    return ended instanceof SessionEndedError ? ended : error;
  }
}
