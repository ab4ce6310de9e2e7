import { readFile } from 'node:fs/promises';
import type { ReceiptStatement } from '@turnpike/contract/receipt';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { CommandError } from '../terminal/command-error.ts';
import { drawFacts, drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

/** `turnpike receipt`: signed statements of where a session's traffic went. */
export function receiptCommands(program: Command, env: Environment): void {
  const receipt = program
    .command('receipt')
    .description("get and verify signed receipts of sessions' traffic");

  callFlags(receipt.command('get <session>'))
    .description('print the receipt of a session that has ended')
    .action(async (session: string, flags: CallFlags) => {
      printJson(await (await gatewayClient(env, flags)).receipt(session));
    });

  callFlags(receipt.command('keys'))
    .description("print the service's keys, for verifying offline")
    .action(async (flags: CallFlags) => {
      printJson(await (await gatewayClient(env, flags)).receiptKeys());
    });

  callFlags(receipt.command('verify <file>'))
    .description('verify a receipt, offline with --keys')
    .option('--keys <file>', 'keys that turnpike receipt keys has printed; without it they are fetched')
    .action(async (file: string, { keys, ...flags }: { keys?: string } & CallFlags) => {
      const keysText =
        keys === undefined
          ? JSON.stringify(await (await gatewayClient(env, flags)).receiptKeys())
          : await readFile(keys, 'utf8');
      const statement = await verified(await readFile(file, 'utf8'), keysText);
      if (flags.json) printJson(statement);
      else console.log(describe(statement));
    });
}

async function verified(text: string, keysText: string): Promise<ReceiptStatement> {
  // Loaded here: its schemas are most of what a command would load.
  const { ReceiptError, verifyReceipt } = await import('@turnpike/process/receipt-signature');
  try {
    return verifyReceipt(text, keysText);
  } catch (error) {
    if (error instanceof ReceiptError) throw new CommandError(error.message);
    throw error;
  }
}

function describe({ session, proxy, traffic, host, sandbox, issuedAt }: ReceiptStatement): string {
  const facts = drawFacts({
    signature: paint.good('valid'),
    session: `${session.browserId}, ${session.status}`,
    opened: `${moment(session.createdAt)} UTC`,
    ended: `${moment(session.endedAt)} UTC`,
    issued: `${moment(issuedAt)} UTC`,
    proxy,
    up: bytes(traffic.bytesUp),
    down: bytes(traffic.bytesDown),
    cost: traffic.cost == null ? undefined : String(traffic.cost),
    'with one proxy': traffic.costOfOneProxy == null ? undefined : String(traffic.costOfOneProxy),
    host: [
      host.name,
      host.version && `Turnpike ${host.version}`,
      host.chromium && `Chromium ${host.chromium}`,
    ]
      .filter(Boolean)
      .join(', '),
    sandbox: sandbox
      ? `own ${sandbox.namespaces.join(', ')} namespaces; ${sandbox.otherInterfaces} other interfaces, ` +
        `${sandbox.packetsOnOtherInterfaces} packets on them; ${sandbox.gatewayRoutes} routes out`
      : paint.warn('unknown: the host was lost, or runs without a sandbox'),
  });
  const rows = traffic.destinations.map(({ host: name, port, proxy: through, ...use }) => [
    `${name}:${port}${through ? ` (${through})` : ''}`,
    String(use.requests + use.tunnels),
    bytes(use.bytesUp),
    bytes(use.bytesDown),
  ]);
  const { other } = traffic;
  if (other.bytesUp + other.bytesDown > 0)
    rows.push([
      'all others',
      String(other.requests + other.tunnels),
      bytes(other.bytesUp),
      bytes(other.bytesDown),
    ]);
  const headings = ['destination', 'requests', 'up', 'down'];
  return `${facts}\n\n${drawTable(headings, rows, ['requests', 'up', 'down'])}`;
}
