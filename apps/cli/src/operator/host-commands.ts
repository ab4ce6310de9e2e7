import {
  drainHost,
  type HostView,
  listHosts,
  removeHost,
  storeTime,
  undrainHost,
} from '@turnpike/gateway/administration';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { type RunFlags, runFlags } from '../run/run-flags.ts';
import { drawRows } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { withStore } from './store.ts';

/** `turnpike host`, which runs a host, and `turnpike host …`, which works on the store's hosts. */
export function hostCommands(program: Command, env: Environment): void {
  const host = runFlags(program.command('host'))
    .description('run a browser host alone, for the gateways that the settings name')
    .action(async (flags: RunFlags) => {
      const { runHost } = await import('../run/run-host.ts');
      await runHost(env, flags);
    });

  host
    .command('ls')
    .description('list all hosts, with their seats and last heartbeat')
    .option('--json', 'machine-readable output')
    .action(async ({ json }: { json?: boolean }) => {
      const { now, hosts } = await withStore(env, async (db) => {
        const time = await storeTime(db);
        return { now: time, hosts: await listHosts(db, time) };
      });
      if (json) printJson(hosts);
      else
        console.log(
          drawRows(
            hosts.map((view) => tableRow(view, now)),
            'There are no hosts. Start one with turnpike up, or turnpike host on another machine.',
          ),
        );
    });

  host
    .command('drain <name>')
    .description('place no new sessions on a host; running ones go on')
    .action(async (name: string) => {
      await withStore(env, (db) => drainHost(db, name));
      console.log(`${name} takes no new sessions from now on.`);
    });

  host
    .command('undrain <name>')
    .description('let a host take sessions again')
    .action(async (name: string) => {
      await withStore(env, (db) => undrainHost(db, name));
      console.log(`${name} takes sessions again.`);
    });

  host
    .command('remove <name>')
    .description('remove a host: its sessions end, and so does a host process that runs alone')
    .option('--force', 'remove it even if sessions run on it: they end as DEAD')
    .action(async (name: string, { force = false }: { force?: boolean }) => {
      const { isInGateway } = await withStore(env, (db) => removeHost(db, name, { force }));
      console.log(`${name} is removed. Its browsers, if any still run, end within seconds.`);
      console.log(
        isInGateway
          ? 'It is part of an all-in-one, whose gateway and proxy go on. Start that again to have the host back.'
          : 'Its process ends. Start it again to have the host back.',
      );
    });
}

function tableRow(host: HostView, now: number) {
  return {
    name: host.name,
    state: host.state,
    region: host.region ?? '',
    seats: `${host.used}/${host.seats}`,
    heard: `${Math.round((now - host.heartbeatAt) / 1000)} s ago`,
    version: host.serviceVersion,
    chromium: host.chromiumVersion,
    url: host.publicUrl,
  };
}
