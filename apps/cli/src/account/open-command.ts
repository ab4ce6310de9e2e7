import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import type { CreateOptions, Session, Turnpike } from 'turnpike-client';
import { paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { duration } from '../terminal/wording.ts';
import { createFlags } from './create-flags.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

interface OpenFlags extends CallFlags {
  exec?: string;
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal asked this process to end; the exit code tells which. */
class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

/** `turnpike open`, with an option for each create parameter. */
export function openCommand(program: Command, env: Environment): void {
  const command = program.command('open').description('open a browser and print its CDP URL');
  createFlags(command).option(
    '--exec <command>',
    'run a shell command with the browser, then close the session',
  );
  callFlags(command)
    .addHelpText(
      'after',
      `
The session goes on after this command: close it with turnpike close, or use
--exec. The shell command finds the browser in TURNPIKE_CDP_URL, its session in
TURNPIKE_SESSION_ID and the live view, if any, in TURNPIKE_VNC_URL; addresses for
other protocols are in TURNPIKE_BIDI_URL, TURNPIKE_PLAYWRIGHT_URL and
TURNPIKE_WEBDRIVER_URL. Its exit code becomes this one's.

Examples:
  turnpike open --proxy http://user:password@proxy.example:3128
  turnpike open --os android --vnc --max-lifetime 600
  turnpike open --exec 'node crawl.js'
  cdp=$(turnpike open --headless) && node crawl.js "$cdp"

The proxy may be in TURNPIKE_PROXY, where no list of processes shows it.`,
    )
    .action((flags: CreateOptions & OpenFlags) => openFromCommandLine(env, flags));
}

/** Opens a session and prints it, or runs a command with it and closes it after. */
async function openFromCommandLine(
  env: Environment,
  { exec, ...flags }: CreateOptions & OpenFlags,
): Promise<void> {
  const { json, timeout: _timeout, retry: _retry, ...options } = flags;
  const client = await gatewayClient(env, flags);
  const interruption = new AbortController();
  let created = false;
  const interrupt = (signal: NodeJS.Signals) => {
    if (!created && !interruption.signal.aborted)
      console.error('Interrupted. Waiting for the gateway, to close what it opens.');
    interruption.abort(new Interrupted(signal));
  };
  // Until the command ends: without a listener for a moment, a signal would end this process and leave the command.
  for (const signal of endingSignals) process.on(signal, interrupt);
  try {
    const session = await client.create({ ...options, signal: interruption.signal });
    created = true;
    if (exec !== undefined) process.exitCode = await runWith(client, session, exec, env);
    else if (json) printJson(session);
    else printSession(session);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    // The client closes what was created by then, before this process can end.
    process.exitCode = 128 + constants.signals[error.signal];
  } finally {
    for (const signal of endingSignals) process.off(signal, interrupt);
  }
}

/** Prints only the URL on standard output, for `$(…)`; the rest goes to standard error, for people. */
function printSession({ cdpUrl, browserId, vncUrl, createdAt, expiresAt }: Session): void {
  console.log(cdpUrl);
  if (!process.stderr.isTTY) return;
  const lifetime = duration((Date.parse(expiresAt) - Date.parse(createdAt)) / 1000);
  if (vncUrl) console.error(paint.dim(`live view: ${vncUrl}`));
  console.error(paint.dim(`Runs for ${lifetime}, or until: turnpike close ${browserId}`));
}

/** Runs a command that finds the session in its environment, and closes the session after. */
async function runWith(
  client: Turnpike,
  session: Session,
  command: string,
  env: Environment,
): Promise<number> {
  try {
    return await runCommand(command, {
      ...env,
      TURNPIKE_CDP_URL: session.cdpUrl,
      TURNPIKE_SESSION_ID: session.browserId,
      ...(session.bidiUrl ? { TURNPIKE_BIDI_URL: session.bidiUrl } : {}),
      ...(session.playwrightUrl ? { TURNPIKE_PLAYWRIGHT_URL: session.playwrightUrl } : {}),
      ...(session.webdriverUrl ? { TURNPIKE_WEBDRIVER_URL: session.webdriverUrl } : {}),
      ...(session.vncUrl ? { TURNPIKE_VNC_URL: session.vncUrl } : {}),
    });
  } finally {
    await client.close(session.browserId);
  }
}

/** Runs a shell command and returns its exit code. Signals that would end this process go to the command instead. */
function runCommand(command: string, env: Environment): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: 'inherit', env });
    const forward = (signal: NodeJS.Signals) => {
      // A terminal has already sent Ctrl-C to both.
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
