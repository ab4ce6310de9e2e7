import { OperatorError } from '@turnpike/gateway/operator/accounts';
import { SettingError } from '@turnpike/process/settings';
import { Command, InvalidArgumentError } from 'commander';
import { accountCommands } from './account-commands.ts';

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
  .command('doctor')
  .description('check this machine and say what to do about what does not work')
  .option('--json', 'machine-readable output')
  .action(async ({ json = false }: { json?: boolean }) => {
    const { doctor } = await import('./doctor.ts');
    process.exitCode = await doctor(process.env, { json });
  });

accountCommands(program, process.env);

try {
  await program.parseAsync();
} catch (error) {
  const expected =
    error instanceof SettingError || error instanceof OperatorError || error instanceof InvalidArgumentError;
  if (!expected) throw error;
  console.error(`turnpike: ${error.message}`);
  process.exitCode = 1;
}
