import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Turnpike } from 'turnpike-client';
import { AgentBrowsers } from './agent-browsers.ts';
import { buildMcpServer } from './mcp-server.ts';

export interface AgentSessionOptions {
  apiKey: string;
  proxy: string | undefined;
  absence: { streamMs: number; quietMs: number };
  onBegun(id: string): void;
  onEnded(id: string): void;
}

/**
 * One agent over HTTP, from its initialize to its DELETE. An agent that was killed sends no DELETE: it counts as
 * disconnected when its stream has been closed for a while or, if it had none, after a long time without a request.
 */
export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly #browsers: AgentBrowsers;
  readonly #server: McpServer;
  readonly #transport: StreamableHTTPServerTransport;
  readonly #owner: Buffer;
  #openRequests = 0;
  #keptStream = false;
  #absence: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(client: Turnpike, options: AgentSessionOptions) {
    this.#options = options;
    this.#owner = digest(options.apiKey);
    this.#browsers = new AgentBrowsers(client);
    this.#server = buildMcpServer(this.#browsers, { proxy: options.proxy });
    this.#transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: options.onBegun,
    });
    this.#server.server.onclose = () => void this.end();
  }

  isBy(apiKey: string): boolean {
    return timingSafeEqual(this.#owner, digest(apiKey));
  }

  async begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#server.connect(this.#transport as Transport);
    await this.answer(request, response);
    if (this.#transport.sessionId === undefined) await this.end();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    clearTimeout(this.#absence);
    this.#openRequests += 1;
    this.#keptStream ||= request.method === 'GET';
    response.once('close', () => {
      this.#openRequests -= 1;
      if (this.#openRequests === 0) this.#watchAbsence();
    });
    await this.#transport.handleRequest(request, response);
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#absence);
    if (this.#transport.sessionId !== undefined) this.#options.onEnded(this.#transport.sessionId);
    await Promise.all([this.#server.close(), this.#browsers[Symbol.asyncDispose]()]);
  }

  #watchAbsence(): void {
    if (this.#ending) return;
    const { streamMs, quietMs } = this.#options.absence;
    this.#absence = setTimeout(() => void this.end(), this.#keptStream ? streamMs : quietMs);
  }
}

const digest = (apiKey: string): Buffer => createHash('sha256').update(apiKey).digest();
