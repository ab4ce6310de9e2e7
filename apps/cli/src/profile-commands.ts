import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { drawTable, paint } from './drawing.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';
import { printJson } from './print.ts';
import { bytes, moment } from './wording.ts';

/** `turnpike profiles ls` and `rm`: saved profiles. */
export function profileCommands(program: Command, env: Environment): void {
  const profiles = program.command('profiles').description('list and delete saved profiles');
  callFlags(profiles.command('ls'))
    .description('list saved profiles')
    .action(async (flags: CallFlags) => {
      const saved = await (await gatewayClient(env, flags)).listProfiles();
      if (flags.json) return printJson(saved);
      if (saved.length === 0) {
        return console.log(
          paint.dim(
            'There are no saved profiles. Save one with turnpike open --profile NAME --save-profile.',
          ),
        );
      }
      const rows = saved.map((profile) => [
        profile.name,
        bytes(profile.bytes),
        moment(profile.updatedAt),
        profile.inUse ? paint.warn('in use') : '',
      ]);
      console.log(drawTable(['name', 'size', 'saved (UTC)', ''], rows, ['size']));
    });

  callFlags(profiles.command('rm <name>'))
    .description('delete a saved profile')
    .action(async (name: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).deleteProfile(name);
      if (flags.json) printJson({ name });
      else console.log(`Profile ${name} is deleted.`);
    });
}
