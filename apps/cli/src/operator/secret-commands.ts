import { resealAll, rotateSigningKey, storeTime } from '@turnpike/gateway/administration';
import { sealerFrom } from '@turnpike/gateway/config';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { CommandError } from '../terminal/command-error.ts';
import { withStore } from './store.ts';

/** `turnpike secrets reseal`, after the secret key was replaced, and `turnpike secrets rotate-receipt-key`. */
export function secretCommands(program: Command, env: Environment): void {
  const secrets = program.command('secrets').description('manage the secrets that are sealed in the store');

  secrets
    .command('rotate-receipt-key')
    .description('sign receipts with a new key; those that the old one has signed stay valid')
    .action(async () => {
      const sealer = sealerFrom(env);
      const id = await withStore(env, async (db) => {
        const time = await storeTime(db);
        return rotateSigningKey({ db, sealer, now: () => time });
      });
      console.log(`Receipts are signed with ${id} from now on.`);
    });

  secrets
    .command('reseal')
    .description('seal everything under TURNPIKE_SECRET_KEY, opening it with TURNPIKE_SECRET_KEYS_OLD too')
    .action(async () => {
      const { resealed, current, unopened } = await withStore(env, (db) => resealAll(db, sealerFrom(env)));
      console.log(`Sealed under the secret key: ${resealed} anew, ${current} already.`);
      if (unopened.length === 0) return;
      throw new CommandError(
        `${unopened.length} cannot be opened by any key that is set (${unopened.slice(0, 5).join(', ')}): ` +
          'add the key that sealed them to TURNPIKE_SECRET_KEYS_OLD, or create new secrets (docs/operating.md)',
      );
    });
}
