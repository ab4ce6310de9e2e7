import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

interface SnapshotFlags extends CallFlags {
  keep?: string;
  name?: string;
}

/** `turnpike snapshot`, and `turnpike snapshots ls` and `rm`. */
export function snapshotCommands(program: Command, env: Environment): void {
  callFlags(program.command('snapshot <id>'))
    .description('take a snapshot of a running session, for open --snapshot')
    .option('--keep <days>', 'days until it is deleted, from 1 to 365 (default: 30)')
    .option('--name <text>', 'a name of your own')
    .action(async (id: string, { keep, name, ...flags }: SnapshotFlags) => {
      const client = await gatewayClient(env, flags);
      const taken = await client.takeSnapshot(id, {
        ...(keep !== undefined && { keep: Number(keep) }),
        ...(name !== undefined && { name }),
      });
      if (flags.json) return printJson(taken);
      console.log(taken.snapshot);
      for (const sentence of taken.lost) console.error(paint.warn(sentence));
    });

  const commands = program.command('snapshots').description('list and delete snapshots of sessions');
  callFlags(commands.command('ls'))
    .description('list snapshots')
    .action(async (flags: CallFlags) => {
      const snapshots = await (await gatewayClient(env, flags)).listSnapshots();
      if (flags.json) return printJson(snapshots);
      if (snapshots.length === 0)
        return console.log(paint.dim('There are no snapshots. Take one with turnpike snapshot ID.'));
      const rows = snapshots.map((one) => [
        one.snapshot,
        one.name ?? '',
        String(one.tabs),
        bytes(one.bytes),
        moment(one.createdAt),
        moment(one.expiresAt),
        one.inUse ? paint.warn('in use') : '',
      ]);
      const head = ['snapshot', 'name', 'tabs', 'size', 'taken (UTC)', 'expires (UTC)', ''];
      console.log(drawTable(head, rows, ['tabs', 'size']));
    });

  callFlags(commands.command('rm <id>'))
    .description('delete a snapshot')
    .action(async (id: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).deleteSnapshot(id);
      if (flags.json) printJson({ snapshot: id });
      else console.log(`Snapshot ${id} is deleted.`);
    });
}
