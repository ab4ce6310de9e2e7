import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AuthError, Turnpike, TurnpikeError } from 'turnpike-client';
import { AgentSession } from './agent-session.ts';
import { apiKeyOf, isLocal } from './http-request.ts';

const path = '/mcp';
const maxSessions = 100;

export interface HttpOptions {
  port: number;
  /** The gateway's URL. Each agent sends its own key. */
  endpoint: string;
  /** How long an agent may be silent before it counts as disconnected. */
  absence?: { streamMs: number; quietMs: number };
}

export interface HttpServing extends AsyncDisposable {
  url: string;
}

/** Serves agents on loopback. Each request brings its account's key; this server has none of its own. */
export async function serveHttp({
  port,
  endpoint,
  absence = { streamMs: 30_000, quietMs: 900_000 },
}: HttpOptions): Promise<HttpServing> {
  const sessions = new Map<string, AgentSession>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLocal(request)) return refuse(response, 403, 'Host and Origin must name this machine');
    if (new URL(request.url ?? '/', 'http://local').pathname !== path) {
      return refuse(response, 404, `Not found. The server is at ${path}`);
    }
    const apiKey = apiKeyOf(request);
    if (apiKey === undefined)
      return refuse(response, 401, 'Missing API key. Send it in x-api-key or as a bearer token.');
    const id = request.headers['mcp-session-id'];
    if (id === undefined) return admit(apiKey, request, response);
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (!session?.isBy(apiKey)) return refuse(response, 404, 'Session not found');
    await session.answer(request, response);
  }

  async function admit(apiKey: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return refuse(response, 400, 'Mcp-Session-Id header is required');
    if (sessions.size >= maxSessions)
      return refuse(response, 503, 'Too many agents are connected. Try again later.');
    const client = new Turnpike({ endpoint, apiKey });
    await client.getLimits();
    const proxy = request.headers['x-turnpike-proxy'];
    const session = new AgentSession(client, {
      apiKey,
      absence,
      proxy: typeof proxy === 'string' ? proxy : undefined,
      onBegun: (id) => sessions.set(id, session),
      onEnded: (id) => sessions.delete(id),
    });
    await session.begin(request, response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof AuthError) refuse(response, 401, error.message);
      else if (error instanceof TurnpikeError) refuse(response, 502, error.message);
      else refuse(response, 500, 'Internal error');
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  return {
    url: `http://127.0.0.1:${address.port}${path}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await Promise.all([...sessions.values()].map((session) => session.end()));
      server.closeAllConnections();
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: '2.0', error: { code: -32000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
