import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { writeJson } from 'turnpike-client';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { refusal, text } from './tool-answers.ts';

/** So that a browser whose agent and server were both killed is not paid for until its lifetime ends. */
const usualIdleSeconds = 900;

export interface SessionToolOptions {
  /** Where the agent names none. */
  proxy?: string | undefined;
}

/** open_session, list_sessions and close_session. */
export function sessionTools(
  server: McpServer,
  browsers: AgentBrowsers,
  { proxy: usualProxy }: SessionToolOptions,
): void {
  server.registerTool(
    'open_session',
    {
      title: 'Open a browser session',
      description:
        'Opens a remote Chromium behind a proxy and makes it the session that the other tools drive. It counts ' +
        "against the account's limits until it is closed, so close it when you are done. It is closed by itself " +
        'when you disconnect, unless keep is true.',
      inputSchema: {
        proxy: z
          .string()
          .optional()
          .describe(
            usualProxy
              ? 'scheme://user:password@host:port. Leave it out to use the one that is configured.'
              : 'Needed: http, https, socks5 or socks5h, as scheme://user:password@host:port.',
          ),
        os: z
          .enum(['windows', 'android', 'linux', 'macos'])
          .optional()
          .describe('The device that the browser claims to be. Default windows.'),
        headless: z.boolean().optional().describe('Without a display. Default false.'),
        liveView: z
          .boolean()
          .optional()
          .describe('Answers a URL at which a person can watch and use the browser; not with headless.'),
        maxLifetime: z
          .number()
          .int()
          .optional()
          .describe('Seconds after which it ends in any case, 120 to 86400. Default 7200.'),
        idleTimeout: z
          .number()
          .int()
          .optional()
          .describe(
            `Seconds without use after which it ends. Default ${usualIdleSeconds}; 0, or keep: never.`,
          ),
        wait: z
          .number()
          .int()
          .optional()
          .describe('Seconds, at most 60, to wait for a free slot instead of being refused at once.'),
        region: z.string().optional().describe("Where it is to run, by one of the operator's names."),
        profile: z
          .string()
          .optional()
          .describe('Begins with the cookies and storage that were saved under this name, if any.'),
        saveProfile: z.boolean().optional().describe('Saves them under that name when it is closed.'),
        keep: z.boolean().default(false).describe('It goes on when you disconnect.'),
      },
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    async ({ liveView, keep, proxy, idleTimeout = keep ? 0 : usualIdleSeconds, ...options }, { signal }) => {
      try {
        const given = Object.entries({ ...options, proxy: proxy || usualProxy, idleTimeout, vnc: liveView });
        const request = Object.fromEntries(given.filter(([, value]) => value !== undefined));
        const session = await browsers.open({ ...request, keep }, signal);
        return text(
          [
            `Opened session ${session.browserId}. It ends at ${session.expiresAt} at the latest.`,
            ...(session.vncUrl ? [`Live view: ${session.vncUrl}`] : []),
          ].join('\n'),
        );
      } catch (error) {
        return refusal(error);
      }
    },
  );

  server.registerTool(
    'list_sessions',
    {
      title: 'List running sessions',
      description:
        'The sessions of the account that run now, newest first, and how many may. The other tools can drive ' +
        'any of them by its id, also those that you did not open.',
      annotations: { readOnlyHint: true },
    },
    async () => {
      try {
        const [running, limits] = await Promise.all([browsers.list(), browsers.client.getLimits()]);
        const sessions = running.map(({ browserId, createdAt, expiresAt }) => ({
          session: browserId,
          createdAt,
          expiresAt,
          closedWhenYouDisconnect: browsers.isOwn(browserId),
        }));
        const { active, limit, unlimited } = limits;
        const count = `${active} ${unlimited ? '(no limit)' : `of ${limit}`} browsers run.`;
        return text(`${count}\n${writeJson(sessions, 2)}`);
      } catch (error) {
        return refusal(error);
      }
    },
  );

  server.registerTool(
    'close_session',
    {
      title: 'Close a session',
      description: 'Ends a session and frees its slot. Safe to repeat.',
      inputSchema: {
        session: z.string().optional().describe('Its id; the one that was used last if left out.'),
      },
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ session }) => {
      try {
        const { browserId, status } = await browsers.close(session ?? browsers.find(undefined).sessionId);
        return text(`Session ${browserId} is ${status}.`);
      } catch (error) {
        return refusal(error);
      }
    },
  );
}
