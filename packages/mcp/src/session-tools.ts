import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type CreateParameter, defaultText, helpWithRange } from '@turnpike/contract/create-parameter';
import { camelCase, type ParameterName, parametersIn } from '@turnpike/contract/create-parameters';
import { type CreateOptions, type SessionTraffic, writeJson } from 'turnpike-client';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { proxyHelp } from './proxy-help.ts';
import { refusal, text } from './tool-answers.ts';

/** Closes a session whose agent and server were both killed, long before its lifetime ends. */
const defaultIdleSeconds = 900;

/** Destinations in an answer of read_traffic. */
const shownDestinations = 20;

export interface SessionToolOptions {
  /** The proxy of sessions for which the agent names none. */
  proxy?: string | undefined;
}

/** The names under which agents know parameters, where they are not the API's. */
const agentNames: { readonly [name in ParameterName]?: string } = { vnc: 'liveView' };
interface Renamed {
  liveView?: boolean;
}

/** What open_session takes, from the table of create parameters. */
function agentParameters(defaultProxy: string | undefined): Record<string, z.ZodType> {
  const help: { [name in ParameterName]?: string } = {
    proxy: proxyHelp(defaultProxy),
    idle_timeout: `Seconds without use after which the session is closed. Default: ${defaultIdleSeconds}. 0, or keep: never.`,
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
  { keep, defaultProxy }: { keep: boolean; defaultProxy: string | undefined },
): CreateOptions {
  const options = {
    ...given,
    proxy: proxy || defaultProxy,
    idleTimeout: idleTimeout ?? (keep ? 0 : defaultIdleSeconds),
    vnc: liveView,
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The largest destinations. All others are counted, so that an answer does not fill the agent's context. */
function shortened({ destinations, other: _, estimate: __, ...traffic }: SessionTraffic): object {
  const largest = destinations.slice(0, shownDestinations).map(({ firstAt: _, lastAt: __, ...use }) => use);
  return { ...traffic, destinations: largest, moreDestinations: destinations.length - largest.length };
}

/** open_session, list_sessions, read_traffic and close_session. */
export function sessionTools(
  server: McpServer,
  browsers: AgentBrowsers,
  { proxy: defaultProxy }: SessionToolOptions,
): void {
  server.registerTool(
    'open_session',
    {
      title: 'Open a browser session',
      description:
        'Opens a remote Chromium behind a proxy. The other tools then drive this session. It counts against the ' +
        "account's limits until it is closed, so close it when you are done. It is closed when you disconnect, " +
        'unless keep is true.',
      inputSchema: {
        ...agentParameters(defaultProxy),
        keep: z.boolean().default(false).describe('Keep the session when you disconnect. Default: false.'),
      },
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    async ({ keep, ...given }, { signal }) => {
      try {
        const request = createOptions(given as CreateOptions & Renamed, { keep, defaultProxy });
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
        'Lists the running sessions of the account, newest first, and how many may run. The other tools can drive ' +
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
    'read_traffic',
    {
      title: "Read a session's traffic",
      description:
        "Reads where a session's traffic went: bytes up and down by destination, requests that were refused and why, " +
        'bytes from the cache, and whether maxBytes is used up. Live while the session runs. Proxy traffic costs money.',
      inputSchema: {
        session: z.string().optional().describe("The session's id. Default: the session that was used last."),
      },
      annotations: { readOnlyHint: true },
    },
    async ({ session }) => {
      try {
        const traffic = await browsers.client.traffic(session ?? browsers.find(undefined).sessionId);
        return text(writeJson(shortened(traffic), 2));
      } catch (error) {
        return refusal(error);
      }
    },
  );

  server.registerTool(
    'close_session',
    {
      title: 'Close a session',
      description: 'Closes a session and frees its slot. Safe to repeat.',
      inputSchema: {
        session: z.string().optional().describe("The session's id. Default: the session that was used last."),
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
