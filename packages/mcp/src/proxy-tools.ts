import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { writeJson } from 'turnpike-client';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { answered, text } from './tool-answers.ts';

const session = z.string().optional().describe("The session's id. Default: the session that was used last.");

/** list_proxies, check_proxy, change_proxy and rotate_proxy: the proxies that the account has saved. */
export function proxyTools(server: McpServer, browsers: AgentBrowsers): void {
  const { client } = browsers;
  server.registerTool(
    'list_proxies',
    {
      title: 'List saved proxies',
      description:
        'Lists the saved proxies and pools of the account, how they are, and its default. Tools that take a proxy take ' +
        'name:<proxy> and pool:<pool>.',
      annotations: { readOnlyHint: true },
    },
    ({ signal }) =>
      answered(async () => {
        const [proxies, pools, standard] = await Promise.all([
          client.proxies.list({ signal }),
          client.pools.list({ signal }),
          client.proxies.getDefault({ signal }),
        ]);
        return text(
          writeJson(
            {
              default: standard,
              proxies: proxies.map(({ name, url, country, tags, notes, pricePerGb, health }) => ({
                proxy: `name:${name}`,
                url,
                country,
                tags,
                notes,
                pricePerGb,
                state: health.state,
                lastError: health.lastError,
              })),
              pools: pools.map(({ name, policy, members }) => ({
                proxy: `pool:${name}`,
                policy,
                needsProxyKey: policy === 'sticky',
                members: members.map((member) => `${member.name}: ${member.state}`),
              })),
            },
            2,
          ),
        );
      }),
  );

  server.registerTool(
    'check_proxy',
    {
      title: 'Check a saved proxy',
      description: 'Dials a saved proxy now, and says its latency and exit address, or how it failed.',
      inputSchema: {
        name: z.string().min(1).describe('Its name, without name:.'),
        url: z
          .url({ protocol: /^https?$/ })
          .optional()
          .describe('Fetched through it too.'),
      },
      annotations: { openWorldHint: true },
    },
    ({ name, url }, { signal }) =>
      answered(async () =>
        text(writeJson(await client.proxies.check(name, { signal, ...(url && { url }) }), 2)),
      ),
  );

  server.registerTool(
    'change_proxy',
    {
      title: "Change a session's proxy",
      description:
        'Gives a running session another proxy. Its pages stay, and connections through the former proxy are cut.',
      inputSchema: {
        session,
        proxy: z.string().min(1).describe('name:<proxy>, pool:<pool>, or scheme://user:password@host:port.'),
        proxyKey: z.string().optional().describe('Key of a sticky pool or of a template.'),
        proxyCountry: z.string().optional().describe('For {country} of a saved proxy, such as us.'),
      },
      annotations: { openWorldHint: true },
    },
    ({ session: id, proxy, proxyKey, proxyCountry }, { signal }) =>
      answered(async () => {
        const changed = await client.changeProxy(
          id ?? browsers.find(undefined).sessionId,
          { proxy, ...(proxyKey && { proxyKey }), ...(proxyCountry && { proxyCountry }) },
          { signal },
        );
        return text(describe(changed.browserId, changed.browserParams));
      }),
  );

  server.registerTool(
    'rotate_proxy',
    {
      title: 'Get another exit address',
      description:
        'Asks the template or the pool of a running session for another exit. Its pages stay, and open connections are cut.',
      inputSchema: { session },
      annotations: { openWorldHint: true },
    },
    ({ session: id }, { signal }) =>
      answered(async () => {
        const changed = await client.rotate(id ?? browsers.find(undefined).sessionId, { signal });
        return text(describe(changed.browserId, changed.browserParams));
      }),
  );
}

function describe(id: string, { proxy, proxyName }: Record<string, unknown>): string {
  return `Session ${id} uses ${proxyName ? `name:${proxyName}` : proxy} now.`;
}
