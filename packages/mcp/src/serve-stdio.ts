import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Turnpike } from 'turnpike-client';
import { AgentBrowsers } from './agent-browsers.ts';
import { buildMcpServer } from './mcp-server.ts';
import type { SessionToolOptions } from './session-tools.ts';

export interface StdioOptions extends SessionToolOptions {
  input: Readable;
  output: Writable;
  /** Resolves when the process is to end. */
  stopped: Promise<unknown>;
}

/** Serves the agent on standard input and output until it disconnects, and closes what it opened. */
export async function serveStdio(
  client: Turnpike,
  { input, output, stopped, ...options }: StdioOptions,
): Promise<void> {
  await using browsers = new AgentBrowsers(client);
  const server = buildMcpServer(browsers, options);
  const closed = Promise.withResolvers<void>();
  server.server.onclose = closed.resolve;
  // An agent that was killed breaks either end, whichever is seen first.
  finished(input).then(closed.resolve, closed.resolve);
  output.on('error', closed.resolve);
  await server.connect(new StdioServerTransport(input, output));
  await Promise.race([closed.promise, stopped]);
  await server.close();
}
