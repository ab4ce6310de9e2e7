import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import type { AccountTraffic, SessionTraffic, TrafficUse } from 'turnpike-client';
import { CommandError } from '../terminal/command-error.ts';
import { drawBars, drawFacts, drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

/** Destinations that are drawn. `--csv` and `--json` have the others. */
const drawn = 20;

interface TrafficFlags extends CallFlags {
  from?: string;
  to?: string;
  csv?: boolean;
}

/** `turnpike traffic [session]`: where the bytes of a session went, or those of the account by day. */
export function trafficCommand(program: Command, env: Environment): void {
  callFlags(program.command('traffic [session]'))
    .description("show where a session's traffic went, or the account's by day")
    .option('--from <day>', "first day of the account's, YYYY-MM-DD in UTC (default: the last 30 days)")
    .option('--to <day>', 'last day (default: today)')
    .option('--csv', 'print CSV')
    .addHelpText(
      'after',
      `
A session's traffic is live while it runs. By day, a session counts when it has
ended. Units are decimal: 1 MB is 10^6 bytes.

Examples:
  turnpike traffic br_0123456789abcdef01234567
  turnpike traffic --from 2026-11-01 --to 2026-11-15
  turnpike traffic --csv > traffic.csv`,
    )
    .action(async (session: string | undefined, flags: TrafficFlags) => {
      const client = await gatewayClient(env, flags);
      const { from, to, csv, json } = flags;
      if (session === undefined) {
        const range = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
        if (csv) return void process.stdout.write(await client.accountTrafficCsv(range));
        const traffic = await client.accountTraffic(range);
        return json ? printJson(traffic) : console.log(describeAccount(traffic));
      }
      if (from || to)
        throw new CommandError("--from and --to are for the account's traffic. Leave out the session.");
      if (csv) return void process.stdout.write(await client.trafficCsv(session));
      const traffic = await client.traffic(session);
      return json ? printJson(traffic) : console.log(describeSession(traffic));
    });
}

interface Bytes {
  bytesUp: number;
  bytesDown: number;
}
const sizeOf = ({ bytesUp, bytesDown }: Bytes): number => bytesUp + bytesDown;
const upAndDown = ({ bytesUp, bytesDown }: Bytes): string => `${bytes(bytesUp)} up, ${bytes(bytesDown)} down`;
const bar = (label: string, use: Bytes) => ({ label, value: sizeOf(use), text: bytes(sizeOf(use)) });

const refusedText = (refused: TrafficUse['refused']): string =>
  Object.entries(refused)
    .map(([reason, count]) => `${count} by ${reason}`)
    .join(', ') || 'none';

function describeSession(traffic: SessionTraffic): string {
  const { browserId, status, live, destinations, other, maxBytes, maxBytesReached } = traffic;
  const uses = [...destinations, other];
  const facts = drawFacts({
    session: `${browserId}, ${status}${live ? ', live' : ''}`,
    traffic: upAndDown(traffic),
    requests: String(uses.reduce((sum, { requests, tunnels }) => sum + requests + tunnels, 0)),
    refused: refusedText(traffic.refused),
    'from cache': bytes(traffic.bytesFromCache),
    limit:
      maxBytes === null
        ? undefined
        : `${bytes(maxBytes)}, ${maxBytesReached ? paint.warn('reached') : 'not reached'}`,
    cost: traffic.cost === null ? undefined : String(traffic.cost),
    'with one proxy': traffic.costOfOneProxy === null ? undefined : String(traffic.costOfOneProxy),
  });
  const named = destinations.map(({ proxy, ...use }) => ({
    ...use,
    name: `${use.host}:${use.port}${proxy ? ` (${proxy})` : ''}`,
  }));
  const parts = [facts, ...drawProxies(traffic.proxies), drawDestinations(named, other)];
  return parts.join('\n\n');
}

/** A table of the proxies of a session that has used more than one. */
function drawProxies(proxies: SessionTraffic['proxies']): string[] {
  if (proxies.length < 2) return [];
  const rows = proxies.map(({ proxy, connections, failures, cost, ...use }) => [
    proxy,
    bytes(use.bytesUp),
    bytes(use.bytesDown),
    String(connections),
    String(Object.values(failures).reduce((sum, count) => sum + count, 0)),
    cost === null ? '' : String(cost),
  ]);
  const figures = ['up', 'down', 'connections', 'failed', 'cost'];
  return [drawTable(['proxy', ...figures], rows, figures)];
}

function describeAccount({ from, to, days }: AccountTraffic): string {
  const title = paint.bold(`Traffic by day (UTC), ${from} to ${to}`);
  if (days.length === 0) return `${title}\n${paint.dim('No traffic.')}`;
  const sums = new Map<string, Bytes>();
  const add = (name: string, use: Bytes) => {
    const { bytesUp = 0, bytesDown = 0 } = sums.get(name) ?? {};
    sums.set(name, { bytesUp: bytesUp + use.bytesUp, bytesDown: bytesDown + use.bytesDown });
  };
  for (const { destinations, other } of days) {
    for (const use of destinations) add(`${use.host}:${use.port}`, use);
    add('', other);
  }
  const { '': other = { bytesUp: 0, bytesDown: 0 }, ...named } = Object.fromEntries(sums);
  const ranked = Object.entries(named)
    .map(([name, use]) => ({ name, ...use }))
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  const byDay = drawBars(days.toReversed().map((day) => bar(day.date, day)));
  return `${title}\n${byDay}\n\n${drawDestinations(ranked, other)}`;
}

/** Bars of the largest, and of all others together. */
function drawDestinations(named: readonly ({ name: string } & Bytes)[], other: Bytes): string {
  const rest = [...named.slice(drawn), other];
  const others = {
    bytesUp: rest.reduce((sum, { bytesUp }) => sum + bytesUp, 0),
    bytesDown: rest.reduce((sum, { bytesDown }) => sum + bytesDown, 0),
  };
  const bars = named.slice(0, drawn).map((use) => bar(use.name, use));
  if (sizeOf(others) > 0) bars.push(bar('all others', others));
  const title = paint.bold('Largest destinations');
  return `${title}\n${bars.length > 0 ? drawBars(bars) : paint.dim('No traffic.')}`;
}
