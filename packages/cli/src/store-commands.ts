import { OperatorError } from '@turnpike/gateway/operator/accounts';
import { isStoreOutage } from '@turnpike/gateway/store/outage';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { accountCommands } from './account-commands.ts';
import { backupCommands } from './backup-commands.ts';
import { hostCommands } from './host-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { usageCommands } from './usage-commands.ts';

/** Commands that work on the store itself. */
export function storeCommands(program: Command, usage: Command, env: Environment): void {
  hostCommands(program, env);
  accountCommands(program, env);
  usageCommands(program, usage, env);
  backupCommands(program, env);
  operatorCommands(program, env);
}

export function explainStoreError(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message;
  if (isStoreOutage(error))
    return 'the store cannot be reached: check that DATABASE_URL names a PostgreSQL that runs';
  return undefined;
}
