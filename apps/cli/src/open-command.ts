import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Environment } from '@turnpike/process/settings';
import type { CreateOptions, Session, Turnpike } from 'turnpike-client';
import { paint } from './drawing.ts';
import { type CallFlags, gatewayClient } from './gateway-call.ts';
import { printJson } from './print.ts';
import { duration } from './wording.ts';

export interface OpenFlags extends CallFlags {
  exec?: string;
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Asked to end by a signal, which is also the exit code's business. */
class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

/** Opens a session and prints it, or lends it to a command and closes it after. */
export async function openSession(
  env: Environment,
  { exec, ...flags }: CreateOptions & OpenFlags,
): Promise<void> {
  const { json, timeout: _timeout, retry: _retry, ...options } = flags;
  const client = await gatewayClient(env, flags);
  const interruption = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => interruption.abort(new Interrupted(signal));
  for (const signal of endingSignals) process.once(signal, interrupt);
  try {
    const session = await client.create({ ...options, signal: interruption.signal });
    for (const signal of endingSignals) process.off(signal, interrupt);
    if (exec !== undefined) process.exitCode = await lend(client, session, exec, env);
    else if (json) printJson(session);
    else present(session);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    // What was made by then is closed by the client, before this process can end.
    process.exitCode = 128 + constants.signals[error.signal];
  }
}

/** The URL alone on standard output, for `$(…)`; the rest where a person looks. */
function present({ cdpUrl, browserId, vncUrl, createdAt, expiresAt }: Session): void {
  console.log(cdpUrl);
  if (!process.stderr.isTTY) return;
  const lifetime = duration((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000);
  if (vncUrl) console.error(paint.dim(`live view: ${vncUrl}`));
  console.error(paint.dim(`Runs for ${lifetime}, or until: turnpike close ${browserId}`));
}

async function lend(client: Turnpike, session: Session, command: string, env: Environment): Promise<number> {
  try {
    return await runCommand(command, {
      ...env,
      TURNPIKE_CDP_URL: session.cdpUrl,
      TURNPIKE_SESSION_ID: session.browserId,
      ...(session.vncUrl ? { TURNPIKE_VNC_URL: session.vncUrl } : {}),
    });
  } finally {
    await client.close(session.browserId);
  }
}

/** Runs a shell command and answers its exit code. Signals that would end this process go to it instead. */
function runCommand(command: string, env: Environment): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: 'inherit', env });
    const forward = (signal: NodeJS.Signals) => {
      // A terminal has sent Ctrl-C to both already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of endingSignals) process.on(signal, forward);
    const done = () => {
      for (const signal of endingSignals) process.off(signal, forward);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      done();
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
