#!/usr/bin/env node
import { serviceVersion } from '@turnpike/process/observation/service-version';
import { SettingError } from '@turnpike/process/settings';
import type { Part } from '@turnpike/process/settings/setting-table';
import { Argument, Command, CommanderError } from 'commander';
import { TurnpikeError } from 'turnpike-client';
import { callerAccountCommands } from './account/caller-account-commands.ts';
import { crawlCommand } from './account/crawl-command.ts';
import { NotLoggedInError } from './account/credentials.ts';
import { eventCommands } from './account/event-commands.ts';
import { extensionCommands } from './account/extension-commands.ts';
import { fileCommands } from './account/file-commands.ts';
import { loginCommands } from './account/login-command.ts';
import { mcpCommand } from './account/mcp-command.ts';
import { pageCommands } from './account/page-commands.ts';
import { profileCommands } from './account/profile-commands.ts';
import { proxyCommands } from './account/proxy-commands.ts';
import { receiptCommands } from './account/receipt-commands.ts';
import { recordingCommands } from './account/recording-commands.ts';
import { sessionCommands } from './account/session-commands.ts';
import { snapshotCommands } from './account/snapshot-commands.ts';
import { statsCommands } from './account/stats-commands.ts';
import { trafficCommand } from './account/traffic-command.ts';
import { exitCodeOf } from './exit-codes.ts';
import { type RunFlags, runFlags } from './run/run-flags.ts';
import { completionScript, type Shell, shells } from './terminal/completion.ts';

const program = new Command('turnpike')
  .description('Rent browsers, and rent them out: remote Chromium behind your own proxy, over CDP.')
  .version(serviceVersion, '-V, --version', 'print the version')
  .configureHelp({ showGlobalOptions: true })
  // Options belong to the command that they follow: `usage --json` is not `usage import --json`.
  .enablePositionalOptions()
  // Errors are reported, and exit codes chosen, in one place below.
  .exitOverride();

sessionCommands(program, process.env);
fileCommands(program, process.env);
trafficCommand(program, process.env);
receiptCommands(program, process.env);
recordingCommands(program, process.env);
mcpCommand(program, process.env);
pageCommands(program, process.env);
crawlCommand(program, process.env);
const usage = callerAccountCommands(program, process.env);
eventCommands(program, process.env);
proxyCommands(program, process.env);
profileCommands(program, process.env);
snapshotCommands(program, process.env);
extensionCommands(program, process.env);
statsCommands(program, process.env);
loginCommands(program, process.env);
// All of these only call a gateway. `usage` has an operator's subcommand too.
const callers = program.commands.filter((command) => command !== usage);
const withoutStore = new Set(['--version', '-V', ...callers.map((command) => command.name())]);

program.commandsGroup('Running the service:');
runFlags(program.command('up'))
  .description('run the whole service on this machine (what `npm start` does)')
  .action(async (flags: RunFlags) => {
    const { up } = await import('./run/up.ts');
    await up(process.env, flags);
  });

runFlags(program.command('gateway'))
  .description('run a gateway alone, on the store that the settings name')
  .action(async (flags: RunFlags) => {
    const { runGateway } = await import('./run/run-gateway.ts');
    await runGateway(process.env, flags);
  });

runFlags(program.command('proxy'))
  .description('run the metered proxy alone, on the store that the settings name')
  .action(async (flags: RunFlags) => {
    const { runProxy } = await import('./run/run-proxy.ts');
    await runProxy(process.env, flags);
  });

program
  .command('doctor')
  .description('check this machine, and say how to fix what does not work')
  .addArgument(new Argument('[part]', 'what is to run on it').choices(['up', 'gateway', 'host', 'proxy']))
  .option('--json', 'machine-readable output')
  .action(async (part: Part | undefined, { json = false }: { json?: boolean }) => {
    const { doctor } = await import('./doctor/doctor.ts');
    process.exitCode = await doctor(process.env, { json, part });
  });

program
  .command('install')
  .description('write a systemd unit that runs a part on this machine, and print the next steps')
  .addArgument(
    new Argument('[part]', 'part to run').choices(['up', 'gateway', 'host', 'proxy']).default('up'),
  )
  .option('--dry-run', 'say what would be written, and write nothing')
  .option('--prefix <directory>', 'write below this directory instead of /', '/')
  .action(async (part: Part, { dryRun = false, prefix }: { dryRun?: boolean; prefix: string }) => {
    const { install } = await import('./run/install.ts');
    install({ part, dryRun, prefix });
  });

// Commands on the store take a while to load, so the others do without them.
const onStore = withoutStore.has(process.argv[2] ?? '')
  ? undefined
  : await import('./operator/store-commands.ts');
onStore?.storeCommands(program, usage, process.env);

program.commandsGroup('More:');
program
  .command('completion')
  .description('print a completion script for your shell')
  .addArgument(new Argument('<shell>').choices(shells))
  .addHelpText('after', '\nExample:\n  source <(turnpike completion bash)')
  .action((shell: Shell) => void process.stdout.write(completionScript(program, shell)));
program.helpCommand(false);
program
  .command('help [command...]')
  .description('explain a command, with examples')
  .action((names: string[]) => explained(names).outputHelp());
program.addHelpText('after', '\nFirst: turnpike login. Exit codes and examples: docs/command-line.md.');
pointToHelp(program);

try {
  await program.parseAsync();
} catch (error) {
  // The parser has already reported its own errors.
  if (!(error instanceof CommanderError)) report(error);
  process.exitCode = exitCodeOf(error);
}

/** Finds a command by its words: `account set`. */
function explained(names: readonly string[]): Command {
  return names.reduce((command, name) => {
    const next = command.commands.find((each) => each.name() === name || each.aliases().includes(name));
    return next ?? program.error(`error: unknown command '${names.join(' ')}'`);
  }, program);
}

/** After a usage error, points to the help instead of printing all of it. */
function pointToHelp(command: Command, path = ''): void {
  command.showHelpAfterError(`turnpike help${path} explains it.`);
  for (const each of command.commands) pointToHelp(each, `${path} ${each.name()}`);
}

function report(error: unknown): void {
  const json = process.argv.includes('--json');
  if (json && error instanceof TurnpikeError) {
    const { name, message, statusCode, code, retryAfter, body: _body, cause: _cause, ...more } = error;
    const fields = { class: name, message, statusCode, code, retryAfter, ...(more as object) };
    console.error(JSON.stringify({ error: fields }));
  } else if (json && error instanceof NotLoggedInError) {
    console.error(JSON.stringify({ error: { class: error.name, message: error.message } }));
  } else {
    console.error(`turnpike: ${explain(error)}`);
  }
}

/** One sentence for what a person can fix; the stack for a bug. */
function explain(error: unknown): string {
  if (error instanceof SettingError || error instanceof NotLoggedInError) return error.message;
  if (error instanceof TurnpikeError) return explainRefusal(error);
  const explained = onStore?.explainStoreError(error);
  if (explained) return explained;
  if (isSystemError(error) && error.code === 'EADDRINUSE') {
    return `port ${error.port} is in use: stop what listens there, or choose another by its setting (TURNPIKE_PORT, TURNPIKE_HOST_PORT, TURNPIKE_PROXY_PORT, TURNPIKE_METRICS_PORT, TURNPIKE_PRIVATE_PORT, TURNPIKE_HOST_PRIVATE_PORT)`;
  }
  if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'EEXIST')) return error.message;
  if (isSystemError(error) && (error.code === 'EACCES' || error.code === 'EROFS')) {
    return `${error.message}: check the permissions, or set TURNPIKE_DATA_DIR`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The gateway's message, and what to do about it. */
function explainRefusal({ name, message, code, retryAfter }: TurnpikeError): string {
  const advice: Record<string, string> = {
    AuthError: 'check the key with turnpike login; it may have been rotated',
    ConcurrencyLimitError: 'close one: turnpike ls, turnpike close <id>',
    ConnectionFailedError: 'check the gateway URL, and that the gateway runs',
    SessionNotFoundError: 'turnpike ls --all lists yours',
  };
  const hint =
    code === 'PROXY_REQUIRED'
      ? 'pass one with --proxy or TURNPIKE_PROXY, or set a default: turnpike default-proxy'
      : (advice[name] ?? (retryAfter === undefined ? undefined : `try again in ${retryAfter} seconds`));
  return hint ? `${message}\n  ${hint}` : message;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { port?: number } {
  return error instanceof Error && 'code' in error;
}
