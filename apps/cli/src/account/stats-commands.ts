import { products, unitDigits } from '@turnpike/contract/bandwidth';
import { utcDay, windowStart } from '@turnpike/contract/calendar';
import type { Environment } from '@turnpike/process/settings';
import { Argument, type Command, Option } from 'commander';
import type { Product, RangeOptions, Summary, Unit } from 'turnpike-client';
import { drawBars, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { type CallFlags, callFlags, statsClient } from './gateway-call.ts';

const defaultDays = 30;

interface RangeFlags extends CallFlags {
  from?: string;
  to?: string;
  unit?: Unit;
}

/** `turnpike stats …`: the account's bandwidth, with a statistics token. */
export function statsCommands(program: Command, env: Environment): void {
  const stats = program
    .command('stats')
    .description('read the bandwidth of your proxies')
    .addHelpText(
      'after',
      `
Statistics are read with a token of their own, from turnpike login or
TURNPIKE_STATS_TOKEN. Units are decimal: 1 Gb is 10^9 bytes, up and down.

Examples:
  turnpike stats summary
  turnpike stats bandwidth residential --from 2026-01-01 --unit Mb
  turnpike stats bandwidth rotating-dc --csv > january.csv
  turnpike stats countries`,
    );

  callFlags(stats.command('summary').addArgument(product('a product; without it, all of them')))
    .description('show the last 30 days, and today')
    .action(async (name: Product | undefined, flags: CallFlags) => {
      const client = await statsClient(env, flags);
      const summaries = await Promise.all((name ? [name] : products).map((each) => client.summary(each)));
      if (flags.json) printJson(name ? summaries[0] : summaries);
      else console.log(describeSummaries(summaries));
    });

  rangeFlags(stats.command('bandwidth').addArgument(product('a product', 'residential')))
    .description('show daily totals')
    .option('--csv', 'print CSV')
    .action(async (name: Product, flags: RangeFlags & { csv?: boolean }) => {
      const client = await statsClient(env, flags);
      const range = rangeOf(flags);
      if (flags.csv) return void process.stdout.write(await client.bandwidthCsv(name, range));
      const { unit, from, to, series } = await client.bandwidth(name, range);
      if (flags.json) return printJson({ product: name, unit, from, to, series });
      const rows = series.map((day) => row(day.traffic_date, day.total_value, unit));
      console.log(`${paint.bold(`${name}, ${from} to ${to}`)}\n${drawBars(rows)}`);
    });

  rangeFlags(stats.command('countries').addArgument(product('only residential has countries', 'residential')))
    .description('show totals by country')
    .action(async (name: Product, flags: RangeFlags) => {
      const client = await statsClient(env, flags);
      const { unit, from, to, countries } = await client.countries(name, rangeOf(flags));
      if (flags.json) return printJson({ product: name, unit, from, to, countries });
      const rows = countries.map(({ country, total_value }) => row(country, total_value, unit));
      console.log(
        `${paint.bold(`${name}, ${from} to ${to}`)}\n${rows.length > 0 ? drawBars(rows) : paint.dim('No traffic.')}`,
      );
    });
}

/** Only for completion, not checked here: the gateway knows its products. */
function product(description: string, fallback?: Product): Argument {
  const argument = new Argument('[product]', description);
  argument.argChoices = [...products];
  return fallback ? argument.default(fallback) : argument;
}

function rangeFlags(command: Command): Command {
  return callFlags(command)
    .option('--from <day>', 'first day, YYYY-MM-DD in UTC (default: the last 30 days)')
    .option('--to <day>', 'last day (default: today)')
    .addOption(
      new Option('--unit <unit>', 'unit of the values (default: Gb)').choices(Object.keys(unitDigits)),
    );
}

function rangeOf({ from = windowStart(Date.now(), defaultDays), to, unit }: RangeFlags): RangeOptions {
  return { from, ...(to ? { to } : {}), ...(unit ? { unit } : {}) };
}

const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const row = (label: string, value: number, unit: string) => ({
  label,
  value,
  text: `${figures.format(value)} ${unit}`,
});

function describeSummaries(summaries: readonly Summary[]): string {
  const bars = drawBars(summaries.map(({ product, total_value, unit }) => row(product, total_value, unit)));
  const today = drawBars(summaries.map(({ product, today_value, unit }) => row(product, today_value, unit)));
  const [{ from = '', to = utcDay(Date.now()) } = {}] = summaries;
  return `${paint.bold(`${from} to ${to}`)}\n${bars}\n\n${paint.bold('Today')}\n${today}`;
}
