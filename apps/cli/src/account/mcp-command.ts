import { once } from 'node:events';
import type { Environment } from '@turnpike/process/settings';
import { type Command, InvalidArgumentError } from 'commander';
import { signalled } from '../terminal/signals.ts';
import { NotLoggedInError, readCredentials } from './credentials.ts';
import { gatewayClient } from './gateway-call.ts';

/** `turnpike mcp`: an MCP server, browsers for AI agents. */
export function mcpCommand(program: Command, env: Environment): void {
  program
    .command('mcp')
    .description('let an AI agent open and drive browsers (Model Context Protocol)')
    .option(
      '--http <port>',
      'serve HTTP on this port of loopback, in place of standard input and output',
      portNumber,
    )
    .addHelpText(
      'after',
      `
The agent starts it and talks to it over standard input and output, as the
account that you are logged in as. Sessions that the agent opened are closed when
it disconnects. TURNPIKE_PROXY is the proxy of sessions that name none.

With --http each agent sends its own key (x-api-key, or as a bearer token) and
may send its proxy (x-turnpike-proxy). How to configure agents: docs/mcp.md.`,
    )
    .action(({ http }: { http?: number }) => (http === undefined ? onPipes(env) : onHttp(env, http)));
}

async function onPipes(env: Environment): Promise<void> {
  const client = await gatewayClient(env, {});
  const { serveStdio } = await import('@turnpike/mcp/serve-stdio');
  const { stdin: input, stdout: output } = process;
  const stopped = Promise.race([signalled(), once(process, 'SIGHUP')]);
  await serveStdio(client, { input, output, proxy: env['TURNPIKE_PROXY'], stopped });
  // After a signal, the agent may still hold its end of the pipes open.
  input.destroy();
}

async function onHttp(env: Environment, port: number): Promise<void> {
  const { endpoint } = await readCredentials(env);
  if (!endpoint) throw new NotLoggedInError('no gateway is set: run turnpike login, or set TURNPIKE_URL');
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
