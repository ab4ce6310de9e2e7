import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ClientDriver } from './run-scenario.ts';
import type { Outcome } from './scenarios.ts';

export type StdioDriver = ClientDriver;

/** A client in a process of its own: a request a line on its standard input, an outcome a line on its output. */
export function startStdioDriver(command: string, args: readonly string[], cwd?: string): StdioDriver {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], ...(cwd ? { cwd } : {}) });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async drive(call, options): Promise<Outcome> {
      child.stdin.write(`${JSON.stringify({ call, options })}\n`);
      const { done, value } = await lines.next();
      if (done) throw new Error(`${command} ended in the middle of ${call}`);
      return JSON.parse(value);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
    },
  };
}
