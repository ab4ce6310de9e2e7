import type { Environment } from '@turnpike/process/settings';
import { type Command, Option } from 'commander';
import type { ProxyPolicy, ProxyPool } from 'turnpike-client';
import { drawFacts, drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';
import { commaList, showProxyDays } from './proxy-days.ts';

/** Not imported, because the contract's module would load all its schemas. */
const policies: ProxyPolicy[] = ['round_robin', 'least_sessions', 'least_bytes', 'random', 'sticky'];

/** `turnpike pools …`. */
export function poolCommands(program: Command, env: Environment): void {
  const commands = program
    .command('pools')
    .description('group saved proxies, so that a create gets one')
    .addHelpText(
      'after',
      `
A create names a pool as pool:NAME. A sticky pool needs --proxy-key too.

Examples:
  turnpike pools add de --policy round_robin --members shop-de,shop-de-2
  turnpike open --proxy pool:de`,
    );
  const policy = () => new Option('--policy <policy>', 'which member a create gets').choices(policies);

  callFlags(commands.command('ls').alias('list'))
    .description('list pools')
    .action(async (flags: CallFlags) => {
      const pools = await (await gatewayClient(env, flags)).pools.list();
      if (flags.json) return printJson(pools);
      if (pools.length === 0)
        return console.log(paint.dim('There are no pools. Add one with turnpike pools add NAME.'));
      const rows = pools.map((pool) => [
        pool.name,
        pool.policy,
        members(pool),
        moment(pool.updatedAt),
        pool.isDefault ? 'default' : '',
      ]);
      console.log(drawTable(['name', 'policy', 'members', 'changed (UTC)', ''], rows));
    });

  callFlags(commands.command('show <name>'))
    .description('show a pool')
    .action(async (name: string, flags: CallFlags) => {
      const pool = await (await gatewayClient(env, flags)).pools.get(name);
      if (flags.json) printJson(pool);
      else console.log(describePool(pool));
    });

  callFlags(commands.command('add <name>'))
    .description('add a pool')
    .addOption(policy().default('round_robin'))
    .requiredOption('--members <name,...>', 'saved proxies, in their order', commaList)
    .action(async (name: string, flags: CallFlags & { policy: ProxyPolicy; members: string[] }) => {
      const { pools } = await gatewayClient(env, flags);
      const pool = await pools.create({ name, policy: flags.policy, members: flags.members });
      if (flags.json) printJson(pool);
      else console.log(`Added. Use it as pool:${pool.name}.`);
    });

  callFlags(commands.command('set <name>'))
    .description('change a pool; what is not given stays')
    .addOption(policy())
    .option('--members <name,...>', 'all its members, in their order', commaList)
    .option('--rename <name>', 'a new name')
    .action(
      async (
        name: string,
        flags: CallFlags & { policy?: ProxyPolicy; members?: string[]; rename?: string },
      ) => {
        const pool = await (await gatewayClient(env, flags)).pools.change(name, {
          ...(flags.policy && { policy: flags.policy }),
          ...(flags.members && { members: flags.members }),
          ...(flags.rename && { name: flags.rename }),
        });
        if (flags.json) printJson(pool);
        else console.log(describePool(pool));
      },
    );

  callFlags(commands.command('usage <name>'))
    .description('show the traffic and cost of a pool, day by day')
    .action(async (name: string, flags: CallFlags) =>
      showProxyDays(await (await gatewayClient(env, flags)).pools.usage(name), flags),
    );

  callFlags(commands.command('rm <name>').alias('delete'))
    .description('delete a pool; its proxies stay')
    .action(async (name: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).pools.delete(name);
      if (flags.json) printJson({ name });
      else console.log(`Pool ${name} is deleted.`);
    });
}

const members = (pool: ProxyPool): string =>
  pool.members.map(({ name, state }) => (state === 'failing' ? paint.bad(name) : name)).join(', ');

const describePool = (pool: ProxyPool): string =>
  drawFacts({
    pool: `pool:${pool.name}${pool.isDefault ? ', the default' : ''}`,
    policy: pool.policy,
    members: members(pool),
  });
