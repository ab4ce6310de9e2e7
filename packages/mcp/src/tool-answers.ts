import { stripVTControlCharacters } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { TurnpikeError } from 'turnpike-client';
import { NoSessionError } from './agent-browsers.ts';
import { StaleRefError } from './page-action.ts';

export const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });

export const image = (data: Buffer, mimeType: string): CallToolResult => ({
  content: [{ type: 'image', data: data.toString('base64'), mimeType }],
});

/** Runs a tool. Its error is an answer. */
export async function answered(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    return refusal(error);
  }
}

/** The error's own message, and what to do next. */
export function refusal(error: unknown): CallToolResult {
  const words =
    error instanceof TurnpikeError ? explainRefusal(error) : masked(explainFailure(error as Error));
  return { ...text(words), isError: true };
}

const advice: Record<string, string> = {
  AuthError: 'The API key is missing, wrong or rotated. Ask whoever configured this server to fix it.',
  ConcurrencyLimitError:
    'Close a session with close_session (list_sessions shows them), or let open_session wait for a free slot.',
  UsageCapError: "The account's browser hours are used up. Its operator can raise them.",
  CapacityError: 'Try again in a moment, or let open_session wait.',
  ConnectionFailedError: 'The gateway could not be reached, or did not answer in time. Try again later.',
  SessionNotFoundError: 'list_sessions shows the sessions that run.',
  SessionEndedError: 'Open a new one with open_session.',
};

const proxyAdvice: Record<string, string> = {
  PROXY_REQUIRED:
    'Pass a proxy, such as one of list_proxies, or set one in the configuration of this server.',
  PROXY_INVALID:
    'Write the proxy as scheme://user:password@host:port, name:<proxy> or pool:<pool>. list_proxies shows the saved ones.',
};

function explainRefusal({ name, message, code = '', retryAfter, ...more }: TurnpikeError): string {
  const { limit, active } = more as { limit?: number; active?: number };
  const count = limit === undefined ? '' : ` (${active} of ${limit})`;
  const next =
    proxyAdvice[code] ??
    advice[name] ??
    (retryAfter === undefined ? '' : `Try again in ${retryAfter} seconds.`);
  return `${message}${count}${code ? ` [${code}]` : ''}${next ? `\n${next}` : ''}`;
}

function explainFailure({ name, message }: Error): string {
  if (name === NoSessionError.name) return message;
  // Playwright's message ends with a log of what it tried, which starts at this line.
  const [what = ''] = stripVTControlCharacters(message).split(/\nCall log:/);
  const lost = name === StaleRefError.name || /^locator\.(?!waitFor)|strict mode/.test(what);
  return lost
    ? `${what.trim()}\nRead the page again (read, format accessibility) and take a ref from it.`
    : what.trim();
}

/** Masks secrets in URLs: the CDP id, with which anybody could drive the browser, and passwords. */
function masked(words: string): string {
  return words.replace(/br_[0-9a-f]{40}/g, 'br_***').replace(/(\w:\/\/)[^/\s@]+@/g, '$1***@');
}
