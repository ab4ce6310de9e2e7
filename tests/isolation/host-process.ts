import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { EndedBrowser, OpenRequest } from '@turnpike/contract/host';

/** What a host in a process of its own is told, and says. */
export type Question = { open: OpenRequest } | { close: string } | { measure: true };
export type ToHost = { call: number } & Question;
export type FromHost =
  | { up: string }
  | { ended: EndedBrowser }
  | { call: number; result: unknown }
  | { call: number; error: { code: string; message: string } };

export interface HostProcess extends AsyncDisposable {
  pid: number;
  publicUrl: string;
  ended: EndedBrowser[];
  logs(): string;
  open(request: OpenRequest): Promise<string>;
  close(sessionId: string): Promise<EndedBrowser | undefined>;
  /** As the kernel sees it, in MiB. */
  residentMiB(): number;
  /** The size of its heap after a collection and when its pool is full: for this it needs `--expose-gc`. */
  heapBytes(): Promise<number>;
  kill(): Promise<void>;
}

export interface HostProcessOptions {
  env?: Record<string, string>;
  /** Options of Node itself. */
  nodeOptions?: readonly string[];
  /** A command that runs the host as its own: `setpriv …`. */
  within?: readonly string[];
}

/** A host that can be killed, measured, or run as somebody else. */
export async function startHostProcess(options: HostProcessOptions = {}): Promise<HostProcess> {
  const { env = {}, nodeOptions = [], within = [] } = options;
  const script = `${import.meta.dirname}/host-process-main.ts`;
  const [program = '', ...args] = [...within, process.execPath, ...nodeOptions, script];
  const settings = {
    TURNPIKE_HOST_WARM_HEADFUL: '0',
    TURNPIKE_HOST_WARM_HEADLESS: '0',
    TURNPIKE_HOST_START_TIMEOUT_MS: '120000',
    ...env,
  };
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], ...settings },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let logs = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    logs += text;
  });
  const ended: EndedBrowser[] = [];
  const calls = new Calls(child);
  child.on('message', (message: FromHost) => {
    if ('ended' in message) ended.push(message.ended);
    else if ('call' in message) calls.answer(message);
  });
  const publicUrl = await up(child, () => logs);
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    pid: child.pid ?? 0,
    publicUrl,
    ended,
    kill,
    logs: () => logs,
    async open(request) {
      await calls.make({ open: request });
      return `${publicUrl}/cdp/${request.cdpId}`;
    },
    close: (sessionId) => calls.make({ close: sessionId }) as Promise<EndedBrowser | undefined>,
    heapBytes: () => calls.make({ measure: true }) as Promise<number>,
    residentMiB: () => residentMiB(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect(); // It then shuts down in order.
      await once(child, 'exit');
    },
  };
}

async function up(child: ChildProcess, logs: () => string): Promise<string> {
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`the host ended\n${logs()}`)));
  exited.catch(() => {});
  const [message] = (await Promise.race([once(child, 'message'), exited])) as [FromHost];
  if (!('up' in message)) throw new Error('the host said something else first');
  return message.up;
}

class Calls {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.once('exit', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the host is gone'));
    });
  }

  make(what: Question): Promise<unknown> {
    this.#last += 1;
    const pending = Promise.withResolvers<unknown>();
    pending.promise.catch(() => {});
    this.#pending.set(this.#last, pending);
    this.#child.send({ call: this.#last, ...what });
    return pending.promise;
  }

  answer(message: Extract<FromHost, { call: number }>): void {
    const pending = this.#pending.get(message.call);
    this.#pending.delete(message.call);
    if ('error' in message) pending?.reject(Object.assign(new Error(message.error.message), message.error));
    else pending?.resolve(message.result);
  }
}

export function residentMiB(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kibibytes) / 1024);
}
