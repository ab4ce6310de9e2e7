import { once } from 'node:events';
import type { Environment } from '@turnpike/process/settings';
import { type Command, InvalidArgumentError } from 'commander';
import { NotLoggedInError, readCredentials } from './credentials.ts';
import { gatewayClient } from './gateway-call.ts';
import { signalled } from './signals.ts';

/** `turnpike mcp`: browsers for AI agents. */
export function mcpCommand(program: Command, env: Environment): void {
  program
    .command('mcp')
    .description('let an AI agent open and drive browsers (Model Context Protocol)')
    .option('--http <port>', 'on this port of loopback instead of standard input and output', portNumber)
    .addHelpText(
      'after',
      `
An agent starts it and speaks with it over standard input and output, as the
account that you are logged in as. What the agent opened is closed when it goes.
TURNPIKE_PROXY is the proxy of sessions for which the agent names none.

With --http each agent sends its own key (x-api-key, or as a bearer token) and,
if it likes, its proxy (x-turnpike-proxy). docs/mcp.md has the settings of agents.`,
    )
    .action(({ http }: { http?: number }) => (http === undefined ? onPipes(env) : onHttp(env, http)));
}

async function onPipes(env: Environment): Promise<void> {
  const client = await gatewayClient(env, {});
  const { serveStdio } = await import('@turnpike/mcp/serve-stdio');
  const { stdin: input, stdout: output } = process;
  const stopped = Promise.race([signalled(), once(process, 'SIGHUP')]);
  await serveStdio(client, { input, output, proxy: env['TURNPIKE_PROXY'], stopped });
  // The agent may hold its end of the pipes open, having asked by a signal.
  input.destroy();
}

async function onHttp(env: Environment, port: number): Promise<void> {
  const { endpoint } = await readCredentials(env);
  if (!endpoint)
    throw new NotLoggedInError('no gateway is set: run turnpike login, or set TURNPIKE_ENDPOINT');
  const { serveHttp } = await import('@turnpike/mcp/serve-http');
  const stopped = signalled();
  await using server = await serveHttp({ port, endpoint });
  console.log(`MCP server for ${endpoint} at ${server.url}`);
  await stopped;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be a port number.');
  return port;
}
