import {
  ApiError,
  BackupError,
  isStoreOutage,
  MailError,
  StoreBusyError,
  StoreOpenError,
} from '@turnpike/gateway/administration';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { CommandError } from '../terminal/command-error.ts';
import { accountCommands } from './account-commands.ts';
import { backupCommands } from './backup-commands.ts';
import { hostCommands } from './host-commands.ts';
import { mailCommands } from './mail-commands.ts';
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
  mailCommands(program, env);
  secretCommands(program, env);
}

/** Errors whose message is a sentence for the person at the terminal. */
const refusals = [CommandError, ApiError, BackupError, MailError, StoreOpenError];

export function explainStoreError(error: unknown): string | undefined {
  if (refusals.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof StoreBusyError)
    return 'another process holds the lock of the store: wait for it, or end it';
  if (isStoreOutage(error))
    return 'the store cannot be reached: check that DATABASE_URL names a PostgreSQL that runs';
  return undefined;
}
