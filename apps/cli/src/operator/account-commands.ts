import { unlimitedCount } from '@turnpike/contract/account';
import {
  type AccountRow,
  type AccountSecrets,
  accountLimits,
  accountProfile,
  createAccount,
  type Database,
  getAccount,
  inviteAccount,
  type LimitChange,
  listAccounts,
  proxyCredentials,
  reinstateAccount,
  remainingSeconds,
  rotateKey,
  setLimits,
  statsToken,
  storeTime,
  suspendAccount,
} from '@turnpike/gateway/administration';
import { dashboardUrl, sealerFrom } from '@turnpike/gateway/config';
import type { Environment } from '@turnpike/process/settings';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../terminal/command-error.ts';
import { drawFacts, drawRows } from '../terminal/drawing.ts';
import { printJson, printLink } from '../terminal/print.ts';
import { hours } from '../terminal/wording.ts';
import { withStore } from './store.ts';

interface JsonOption {
  json?: boolean;
}

/** `turnpike account …`: works on the store itself, so that it needs no running gateway. */
export function accountCommands(program: Command, env: Environment): void {
  const account = program.command('account').description('manage accounts, in the store itself');
  const command = (usage: string, description: string) =>
    account.command(usage).description(description).option('--json', 'machine-readable output');
  const inStore = <T>(work: (db: Database) => Promise<T>) => withStore(env, work);
  const sealer = () => sealerFrom(env);

  command('create', 'create an account and print its secrets, once')
    .requiredOption('--email <email>', 'e-mail address, the name of the account in these commands')
    .option('--name <name>', 'name of the person or firm', '')
    .action(async ({ email, name, json }: { email: string; name: string } & JsonOption) => {
      const { account, ...secrets } = await inStore((db) => createAccount(db, sealer(), { email, name }));
      printSecrets(account, secrets, json);
    });

  command('list', 'list all accounts, oldest first').action(async ({ json }: JsonOption) => {
    const accounts = (await inStore(listAccounts)).map(summary);
    if (json) printJson(accounts);
    else
      console.log(
        drawRows(accounts.map(tableRow), 'There are no accounts. Create one with turnpike account create.'),
      );
  });

  command('show <email>', 'show an account').action(async (email: string, { json }: JsonOption) => {
    print(await inStore((db) => getAccount(db, email)), json);
  });

  command('set <email>', "change an account's limits; takes effect on its next request")
    .option('--concurrent <n>', 'browsers at the same time, or unlimited', countOrUnlimited)
    .option('--browser-hours <hours>', 'total hours, a decimal, or unlimited', hoursOrUnlimited)
    .option('--creates-per-minute <n>', 'create requests in any 60 seconds', positiveCount)
    .action(async (email: string, { json, ...options }: SetOptions & JsonOption) => {
      print(await inStore((db) => setLimits(db, email, limitChange(options))), json);
    });

  command('suspend <email>', 'suspend an account: its key is refused until it is reinstated').action(
    async (email: string, { json }: JsonOption) =>
      print(await inStore((db) => suspendAccount(db, email)), json),
  );

  command('reinstate <email>', 'lift a suspension').action(async (email: string, { json }: JsonOption) =>
    print(await inStore((db) => reinstateAccount(db, email)), json),
  );

  command('rotate-key <email>', 'create a new key; the old one stops working at once').action(
    async (email: string, { json }: JsonOption) => {
      const { account, apiKey } = await inStore((db) => rotateKey(db, email));
      printSecrets(account, { apiKey }, json);
    },
  );

  command('stats-token <email>', 'show the token for the statistics API, or create a new one')
    .option('--rotate', 'create a new one; the old one stops working at once')
    .action(async (email: string, { json, rotate = false }: RotateOption & JsonOption) => {
      const token = await inStore((db) => statsToken(db, sealer(), email, { rotate }));
      if (json) printJson({ statsToken: token });
      else console.log(token);
    });

  command('proxy-password <email>', 'show the credentials for the metered proxy, or create a new password')
    .option('--rotate', 'create a new password; the old one stops working at once')
    .action(async (email: string, { json, rotate = false }: RotateOption & JsonOption) => {
      const credentials = await inStore((db) => proxyCredentials(db, sealer(), email, { rotate }));
      if (json) printJson(credentials);
      else console.log(`${credentials.proxyUser}:${credentials.proxyPassword}`);
    });

  command('invite <email>', 'create a link to set a dashboard password, for one use within 7 days')
    .option('--reset', 'for a forgotten password; the link expires after one hour')
    .action(async (email: string, { json, reset = false }: ResetOption & JsonOption) => {
      const options = {
        publicUrl: dashboardUrl(env),
        kind: reset ? ('reset' as const) : ('invitation' as const),
      };
      const link = await inStore(async (db) => {
        const now = await storeTime(db);
        return inviteAccount(db, email, { ...options, now: () => now });
      });
      printLink(link, json);
    });
}

interface ResetOption {
  reset?: boolean;
}

interface RotateOption {
  rotate?: boolean;
}

type Unlimited = 'unlimited';

interface SetOptions {
  concurrent?: number | Unlimited;
  browserHours?: number | Unlimited;
  createsPerMinute?: number;
}

function limitChange({ concurrent, browserHours, createsPerMinute }: SetOptions): LimitChange {
  const change: LimitChange = {};
  if (concurrent !== undefined) change.concurrent_limit = concurrent === 'unlimited' ? null : concurrent;
  if (browserHours !== undefined) {
    change.browser_seconds_cap = browserHours === 'unlimited' ? null : Math.round(browserHours * 3600);
  }
  if (createsPerMinute !== undefined) change.creates_per_minute = createsPerMinute;
  if (Object.keys(change).length === 0) {
    throw new CommandError('nothing to set: give --concurrent, --browser-hours or --creates-per-minute');
  }
  return change;
}

const maxCount = 1_000_000;

function count(text: string, min: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > maxCount) {
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${maxCount}.`);
  }
  return value;
}

const positiveCount = (text: string): number => count(text, 1);
const countOrUnlimited = (text: string): number | Unlimited => (text === 'unlimited' ? text : count(text, 0));

function hoursOrUnlimited(text: string): number | Unlimited {
  if (text === 'unlimited') return text;
  const count = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || count > maxCount) {
    throw new InvalidArgumentError('It must be a number of hours, such as 48 or 0.5, or unlimited.');
  }
  return count;
}

function summary(account: AccountRow) {
  return {
    ...accountProfile(account),
    limits: accountLimits(account),
    usage: { browserSeconds: account.browser_seconds, remainingSeconds: remainingSeconds(account) },
  };
}

function tableRow({ email, name, status, limits, usage }: ReturnType<typeof summary>) {
  return {
    email,
    name,
    status,
    concurrent: limits.unlimited ? 'unlimited' : limits.concurrent,
    'creates/min': limits.createsPerMinute,
    'hours used': hours(usage.browserSeconds),
    'hours left': limits.browserSecondsCap === unlimitedCount ? 'unlimited' : hours(usage.remainingSeconds),
  };
}

const texts = (row: object): Record<string, string> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));

function print(account: AccountRow, json = false): void {
  const described = summary(account);
  if (json) printJson(described);
  else console.log(drawFacts(texts(tableRow(described))));
}

const secretLabels: Record<keyof AccountSecrets, string> = {
  apiKey: 'API key',
  statsToken: 'statistics token',
  proxyUser: 'proxy user',
  proxyPassword: 'proxy password',
};

function printSecrets(account: AccountRow, secrets: Partial<AccountSecrets>, json = false): void {
  if (json) {
    printJson({ account: summary(account), ...secrets });
    return;
  }
  print(account);
  console.log('\nShown only once:');
  const shown = Object.entries(secretLabels).map(([name, label]) => [
    label,
    secrets[name as keyof AccountSecrets],
  ]);
  console.log(drawFacts(Object.fromEntries(shown)).replace(/^/gm, '  '));
}
