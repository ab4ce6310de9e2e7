import { OperatorError } from '@turnpike/gateway/operator/accounts';
import { StoreOpenError } from '@turnpike/gateway/store/database';
import { isStoreOutage, StoreBusyError } from '@turnpike/gateway/store/outage';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { accountCommands } from './account-commands.ts';
import { backupCommands } from './backup-commands.ts';
import { hostCommands } from './host-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { secretCommands } from './secret-commands.ts';
import { usageCommands } from './usage-commands.ts';

/** Registers the commands that work on the store itself. */
export function storeCommands(program: Command, usage: Command, env: Environment): void {
  hostCommands(program, env);
  accountCommands(program, env);
  usageCommands(program, usage, env);
  backupCommands(program, env);
  operatorCommands(program, env);
  secretCommands(program, env);
}

export function explainStoreError(error: unknown): string | undefined {
  if (error instanceof OperatorError || error instanceof StoreOpenError) return error.message;
  if (error instanceof StoreBusyError)
    return 'another process holds the lock of the store: wait for it, or end it';
  if (isStoreOutage(error))
    return 'the store cannot be reached: check that DATABASE_URL names a PostgreSQL that runs';
  return undefined;
}
