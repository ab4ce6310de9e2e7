import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backUpStore, restoreStore } from '@turnpike/gateway/administration';
import { knownSealer, storeLocation } from '@turnpike/gateway/config';
import { createLogger } from '@turnpike/process/logger';
import { makeDirectory } from '@turnpike/process/make-directory';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { CommandError } from '../terminal/command-error.ts';

/** `turnpike backup` and `turnpike restore`, for the built-in store. PostgreSQL has its own tools. */
export function backupCommands(program: Command, env: Environment): void {
  program
    .command('backup <file>')
    .description('copy the store to a new file, while the service runs or not')
    .action(async (file: string) => {
      const store = sqliteFile(env, 'pg_dump');
      if (!existsSync(store)) throw new CommandError(`there is no store at ${store}`);
      await backUpStore(store, resolve(file));
      console.log(`The store is backed up to ${resolve(file)}.`);
      console.log('Keep the secret key too, in another place: without it, what is sealed cannot be read.');
    });

  program
    .command('restore <file>')
    .description('create a store from a backup; there must be none yet')
    .option('--without-key', 'restore although its secret key is lost: see docs/backup.md')
    .action(async (file: string, { withoutKey = false }: { withoutKey?: boolean }) => {
      const store = sqliteFile(env, 'pg_restore');
      const inTheWay = ['', '-wal', '-shm'].map((end) => store + end).find((path) => existsSync(path));
      if (inTheWay) {
        throw new CommandError(`there is a store at ${inTheWay}: stop the service and move it away first`);
      }
      const sealer = knownSealer(env);
      makeDirectory(dirname(store));
      await restoreStore(resolve(file), store, {
        sealer,
        withoutKey,
        logger: createLogger('warn'),
      });
      console.log(`The store is at ${store}. Start the service.`);
    });
}

function sqliteFile(env: Environment, instead: string): string {
  const location = storeLocation(env);
  if (location.engine === 'sqlite') return location.file;
  throw new CommandError(`the store is PostgreSQL: use ${instead}, as docs/backup.md says`);
}
