import type { Environment } from '@turnpike/process/settings';
import { type Command, Option } from 'commander';
import type { Limits, Me, Usage } from 'turnpike-client';
import { drawBars, drawFacts, drawGauge, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, hours } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

const gaugeCells = 24;

/** The number that means no limit. Not imported, because the contract's module would load all its schemas. */
const unlimitedCount = 2147483647;

/** `turnpike limits`, `usage`, `whoami` and `settings`: the account that you are logged in as. Returns `usage`. */
export function callerAccountCommands(program: Command, env: Environment): Command {
  program.commandsGroup('Your account:');
  callFlags(program.command('limits'))
    .description('show how many browsers may run, and how many do')
    .action(async (flags: CallFlags) => {
      const client = await gatewayClient(env, flags);
      const limits = await client.getLimits();
      if (flags.json) return printJson(limits);
      console.log(describeLimits(limits, await client.getMe()));
    });

  const usage = callFlags(program.command('usage'))
    .description('show the browser hours used, day by day')
    .action(async (flags: CallFlags) => {
      const used = await (await gatewayClient(env, flags)).getUsage();
      if (flags.json) printJson(used);
      else console.log(describeUsage(used));
    });

  callFlags(program.command('whoami'))
    .description('show the account that the key belongs to')
    .action(async (flags: CallFlags) => {
      const me = await (await gatewayClient(env, flags)).getMe();
      if (flags.json) return printJson(me);
      const { id, email, name, status } = me.account;
      console.log(drawFacts({ account: email, name: name || undefined, id, status }));
    });

  callFlags(program.command('settings'))
    .description('show what the account has decided for itself, or change it')
    .addOption(new Option('--page-calls <on|off>', 'allow page calls and crawls').choices(['on', 'off']))
    .action(async ({ pageCalls, ...flags }: CallFlags & { pageCalls?: 'on' | 'off' }) => {
      const client = await gatewayClient(env, flags);
      const settings = pageCalls
        ? await client.changeSettings({ pageCalls: pageCalls === 'on' })
        : await client.getSettings();
      if (flags.json) return printJson(settings);
      console.log(drawFacts({ 'page calls': settings.pageCalls ? 'on' : 'off' }));
    });
  return usage;
}

function describeLimits({ limit, active, remaining, unlimited }: Limits, { limits, usage }: Me): string {
  const starting = unlimited ? 0 : limit - active - remaining;
  const cap = limits.browserSecondsCap;
  const capped = cap !== unlimitedCount;
  const gauge = (used: number, most: number) => drawGauge(most > 0 ? used / most : 1, gaugeCells);
  return drawFacts({
    browsers: unlimited
      ? `${active}, no limit`
      : `${gauge(limit - remaining, limit)}  ${active} of ${limit}${starting > 0 ? `, ${starting} starting` : ''}`,
    hours: capped
      ? `${gauge(usage.browserSeconds, cap)}  ${hours(usage.browserSeconds)} of ${hours(cap)}`
      : `${hours(usage.browserSeconds)}, no limit`,
    creates: `${limits.createsPerMinute} a minute`,
  });
}

function describeUsage({ totals, days }: Usage): string {
  const left =
    totals.remainingSeconds === unlimitedCount ? 'no limit' : `${hours(totals.remainingSeconds)} left`;
  const summary = drawFacts({
    sessions: String(totals.sessions),
    hours: `${hours(totals.browserSeconds)}, ${left}`,
    traffic: `${bytes(totals.bytesUp)} up, ${bytes(totals.bytesDown)} down`,
  });
  if (days.length === 0) return summary;
  const bars = drawBars(
    days.map(({ date, browserSeconds }) => ({
      label: date,
      value: browserSeconds,
      text: `${hours(browserSeconds)} h`,
    })),
  );
  return `${summary}\n\n${paint.bold('Browser hours by day (UTC)')}\n${bars}`;
}
