import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** An agent, by the SDK's own client. */
export interface Agent extends AsyncDisposable {
  client: Client;
  /** Answers the text of a tool's answer; throws it where it is an error. */
  use(tool: string, args?: Record<string, unknown>): Promise<string>;
  refused(tool: string, args?: Record<string, unknown>): Promise<string>;
  call(tool: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** Everything that it was told so far. */
  heard(): string;
}

export async function connectAgent(transport: unknown): Promise<Agent> {
  const client = new Client({ name: 'test agent', version: '1' });
  let heard = '';
  await client.connect(transport as Transport);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
    heard += JSON.stringify(result);
    return result;
  };
  const words = ({ content }: CallToolResult) =>
    content.map((each) => (each.type === 'text' ? each.text : `(${each.type})`)).join('\n');
  return {
    client,
    call,
    async use(tool, args) {
      const result = await call(tool, args);
      if (result.isError) throw new Error(`${tool} was refused: ${words(result)}`);
      return words(result);
    },
    async refused(tool, args) {
      const result = await call(tool, args);
      if (!result.isError) throw new Error(`${tool} was not refused: ${words(result)}`);
      return words(result);
    },
    heard: () => heard,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
