import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import type { SavedProfile, Turnpike } from 'turnpike-client';
import { drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

interface Saved {
  command: string;
  /** What it is called, for people. */
  noun: string;
  howToSave: string;
  list(client: Turnpike): Promise<SavedProfile[]>;
  remove(client: Turnpike, name: string): Promise<void>;
}

/** `turnpike profiles ls` and `rm`: saved profiles. `turnpike caches`: saved HTTP caches. */
export function profileCommands(program: Command, env: Environment): void {
  savedCommands(program, env, {
    command: 'profiles',
    noun: 'profile',
    howToSave: 'Save one with turnpike open --profile NAME --save-profile.',
    list: (client) => client.listProfiles(),
    remove: (client, name) => client.deleteProfile(name),
  });
  savedCommands(program, env, {
    command: 'caches',
    noun: 'cache',
    howToSave: 'Save one with turnpike open --cache NAME.',
    list: (client) => client.listCaches(),
    remove: (client, name) => client.deleteCache(name),
  });
}

function savedCommands(
  program: Command,
  env: Environment,
  { command, noun, howToSave, list, remove }: Saved,
): void {
  const commands = program.command(command).description(`list and delete saved ${command}`);
  callFlags(commands.command('ls'))
    .description(`list saved ${command}`)
    .action(async (flags: CallFlags) => {
      const saved = await list(await gatewayClient(env, flags));
      if (flags.json) return printJson(saved);
      if (saved.length === 0) return console.log(paint.dim(`There are no saved ${command}. ${howToSave}`));
      const rows = saved.map(({ name, bytes: size, updatedAt, inUse }) => [
        name,
        bytes(size),
        moment(updatedAt),
        inUse ? paint.warn('in use') : '',
      ]);
      console.log(drawTable(['name', 'size', 'saved (UTC)', ''], rows, ['size']));
    });

  callFlags(commands.command('rm <name>'))
    .description(`delete a saved ${noun}`)
    .action(async (name: string, flags: CallFlags) => {
      await remove(await gatewayClient(env, flags), name);
      if (flags.json) printJson({ name });
      else console.log(`${noun.replace(/^./, (first) => first.toUpperCase())} ${name} is deleted.`);
    });
}
