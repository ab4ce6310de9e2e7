#!/usr/bin/env node
import { OperatorError } from '@turnpike/gateway/operator/accounts';
import { isStoreOutage } from '@turnpike/gateway/store/outage';
import { SettingError } from '@turnpike/process/settings';
import { Command } from 'commander';
import { accountCommands } from './account-commands.ts';
import { backupCommands } from './backup-commands.ts';
import { hostCommands } from './host-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { usageCommands } from './usage-commands.ts';

const program = new Command('turnpike')
  .description('Rent out browsers: remote Chromium behind your own proxy, over CDP.')
  .showHelpAfterError()
  .configureHelp({ showGlobalOptions: true });

program
  .command('up')
  .description('run the whole service on this machine (what `npm start` does)')
  .action(async () => {
    const { up } = await import('./up.ts');
    await up(process.env);
  });

program
  .command('gateway')
  .description('run a gateway alone, on the store that the settings name')
  .action(async () => {
    const { runGateway } = await import('./gateway-command.ts');
    await runGateway(process.env);
  });

program
  .command('proxy')
  .description('run the metered proxy alone, on the store that the settings name')
  .action(async () => {
    const { runProxy } = await import('./proxy-command.ts');
    await runProxy(process.env);
  });

program
  .command('doctor')
  .description('check this machine and say what to do about what does not work')
  .option('--json', 'machine-readable output')
  .action(async ({ json = false }: { json?: boolean }) => {
    const { doctor } = await import('./doctor.ts');
    process.exitCode = await doctor(process.env, { json });
  });

hostCommands(program, process.env);
accountCommands(program, process.env);
usageCommands(program, process.env);
backupCommands(program, process.env);
operatorCommands(program, process.env);

try {
  await program.parseAsync();
} catch (error) {
  console.error(`turnpike: ${explain(error)}`);
  process.exitCode = 1;
}

/** One sentence for what a person can mend; the whole story for what is our own fault. */
function explain(error: unknown): string {
  if (error instanceof SettingError || error instanceof OperatorError) return error.message;
  if (isStoreOutage(error))
    return 'the store cannot be reached: check that DATABASE_URL names a PostgreSQL that runs';
  if (isSystemError(error) && error.code === 'EADDRINUSE') {
    return `port ${error.port} is in use: stop what listens there, or choose another with TURNPIKE_PORT, TURNPIKE_HOST_PORT, TURNPIKE_PROXY_PORT or TURNPIKE_METRICS_PORT`;
  }
  if (isSystemError(error) && (error.code === 'EACCES' || error.code === 'EROFS')) {
    return `${error.message}: check the permissions, or set TURNPIKE_DATA_DIR`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { port?: number } {
  return error instanceof Error && 'code' in error;
}
