import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type RecordedEvent, type Recording, writeJson } from 'turnpike-client';
import { z } from 'zod';
import type { AgentBrowsers } from './agent-browsers.ts';
import { refusal, text } from './tool-answers.ts';

/** Events in an answer, and how much of each, so that an answer does not fill the agent's context. */
const maxEvents = 200;
const maxEventLength = 1000;

const errorKinds = new Set(['exception', 'request.failed', 'tab.crashed']);

const isError = (event: RecordedEvent): boolean =>
  errorKinds.has(event.kind) ||
  (event.kind === 'console' && event['level'] === 'error') ||
  (event.kind === 'response' && Number(event['status']) >= 400) ||
  (event.kind === 'action' && event['error'] !== undefined);

/** read_recording: what a session with `record` did. */
export function recordingTools(server: McpServer, browsers: AgentBrowsers): void {
  server.registerTool(
    'read_recording',
    {
      title: "Read a session's recording",
      description:
        'Reads what a session that was opened with record did: actions, commands, requests, console, dialogs, downloads. By ' +
        `default only errors; at most the last ${maxEvents} events. Works while the session runs and after its end.`,
      inputSchema: {
        session: z.string().optional().describe("The session's id. Default: the session that was used last."),
        onlyErrors: z.boolean().default(true).describe('Only what failed. Default: true.'),
        fromSeconds: z.number().min(0).default(0).describe('From this time on, since its start. Default: 0.'),
        toSeconds: z.number().min(0).optional().describe('Until this time. Default: its end.'),
      },
      annotations: { readOnlyHint: true },
    },
    async ({ session, onlyErrors, fromSeconds, toSeconds }) => {
      try {
        const { recordings } = browsers.client;
        const id = session ?? browsers.find(undefined).sessionId;
        const { chunks, ...summary } = await recordings.get(id);
        const range = { fromMs: fromSeconds * 1000, toMs: (toSeconds ?? Number.POSITIVE_INFINITY) * 1000 };
        const found: string[] = [];
        // From the end, so that no more is read than is answered.
        for (const { index } of chunks.filter((chunk) => isWanted(chunk, onlyErrors, range)).toReversed()) {
          if (found.length >= maxEvents) break;
          const lines: string[] = [];
          for await (const event of recordings.events(id, { from: index, to: index })) {
            const isInRange = event.t >= range.fromMs && event.t <= range.toMs;
            if (isInRange && (!onlyErrors || isError(event))) lines.push(shortened(event));
          }
          found.unshift(...lines);
        }
        return text([writeJson(summary, 2), ...found.slice(-maxEvents)].join('\n'));
      } catch (error) {
        return refusal(error);
      }
    },
  );
}

function isWanted(
  chunk: Recording['chunks'][number],
  onlyErrors: boolean,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): boolean {
  return chunk.toMs >= fromMs && chunk.fromMs <= toMs && (!onlyErrors || chunk.errors > 0);
}

function shortened(event: RecordedEvent): string {
  const line = writeJson(event);
  return line.length > maxEventLength ? `${line.slice(0, maxEventLength)}…` : line;
}
