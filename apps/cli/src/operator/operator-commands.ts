import { inviteOperator, listOperators, storeTime } from '@turnpike/gateway/administration';
import { dashboardUrl } from '@turnpike/gateway/config';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { drawRows } from '../terminal/drawing.ts';
import { printJson, printLink } from '../terminal/print.ts';
import { withStore } from './store.ts';

interface JsonOption {
  json?: boolean;
}

/** `turnpike operator …`: who may use the operator's pages of the dashboard. */
export function operatorCommands(program: Command, env: Environment): void {
  const operator = program
    .command('operator')
    .description('manage people who operate the service, in the dashboard');
  operator
    .command('invite <email>')
    .description('create a link to set their password, for one use within 7 days')
    .option('--json', 'machine-readable output')
    .action(async (email: string, { json }: JsonOption) =>
      printLink(
        await withStore(env, async (db) => {
          const now = await storeTime(db);
          return inviteOperator(db, email, { publicUrl: dashboardUrl(env), now: () => now });
        }),
        json,
      ),
    );
  operator
    .command('list')
    .description('list all operators, oldest first')
    .option('--json', 'machine-readable output')
    .action(async ({ json }: JsonOption) => {
      const rows = (await withStore(env, listOperators)).map((user) => ({
        email: user.email,
        password: user.password_hash !== null,
        lastSignInAt: user.last_sign_in_at === null ? null : new Date(user.last_sign_in_at).toISOString(),
      }));
      if (json) printJson(rows);
      else console.log(drawRows(rows, 'There are no operators. Invite one with turnpike operator create.'));
    });
}
