import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  type CreateParameter,
  camelCase,
  defaultText,
  helpWithRange,
  type ParameterName,
  parametersIn,
} from '@turnpike/contract/create-parameters';
import { type CreateOptions, writeJson } from 'turnpike-client';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { refusal, text } from './tool-answers.ts';

/** So that a browser whose agent and server were both killed is not paid for until its lifetime ends. */
const usualIdleSeconds = 900;

export interface SessionToolOptions {
  /** Where the agent names none. */
  proxy?: string | undefined;
}

/** The names under which agents know parameters, where they are not the API's. */
const agentNames: { readonly [name in ParameterName]?: string } = { vnc: 'liveView' };
interface Renamed {
  liveView?: boolean;
}

/** What open_session takes, from the table of create parameters. */
function agentParameters(usualProxy: string | undefined): Record<string, z.ZodType> {
  const help: { [name in ParameterName]?: string } = {
    proxy: usualProxy
      ? 'scheme://user:password@host:port. Leave it out to use the configured proxy.'
      : 'Required: http, https, socks5 or socks5h, as scheme://user:password@host:port.',
    idleTimeout: `Seconds without use after which the session is closed. Default: ${usualIdleSeconds}. 0, or keep: never.`,
  };
  return Object.fromEntries(
    parametersIn('agent').map(([name, parameter]) => [
      agentNames[name] ?? camelCase(name),
      schemaOf(parameter)
        .optional()
        .describe(help[name] ?? helpOf(parameter)),
    ]),
  );
}

function helpOf(parameter: CreateParameter): string {
  const otherwise = defaultText(parameter);
  return `${helpWithRange(parameter)}.${otherwise === undefined ? '' : ` Default: ${otherwise}.`}`;
}

/** The gateway judges bounds and patterns, and says in its own words what is wrong. */
function schemaOf(parameter: CreateParameter): z.ZodType {
  switch (parameter.kind) {
    case 'flag':
      return z.boolean();
    case 'integer':
      return z.number().int();
    case 'choice':
      return z.enum([...parameter.choices]);
    case 'list':
      return z.array(z.string());
    case 'object':
      return z.record(z.string(), z.unknown());
    case 'text':
      return z.string();
  }
}

function createOptions(
  { liveView, proxy, idleTimeout, ...given }: CreateOptions & Renamed,
  { keep, usualProxy }: { keep: boolean; usualProxy: string | undefined },
): CreateOptions {
  const options = {
    ...given,
    proxy: proxy || usualProxy,
    idleTimeout: idleTimeout ?? (keep ? 0 : usualIdleSeconds),
    vnc: liveView,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
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
        ...agentParameters(usualProxy),
        keep: z.boolean().default(false).describe('Keep the session when you disconnect. Default: false.'),
      },
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    async ({ keep, ...given }, { signal }) => {
      try {
        const request = createOptions(given as CreateOptions & Renamed, { keep, usualProxy });
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
