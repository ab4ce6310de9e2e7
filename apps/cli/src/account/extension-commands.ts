import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

/** `turnpike extensions upload`, `ls` and `rm`: extensions that sessions load. */
export function extensionCommands(program: Command, env: Environment): void {
  const commands = program.command('extensions').description('upload, list and delete browser extensions');
  callFlags(commands.command('upload <file>'))
    .description('upload a zip or crx file; one with the same id is replaced')
    .action(async (file: string, flags: CallFlags) => {
      await access(file, constants.R_OK); // Its error says what is wrong; openAsBlob's does not.
      const extension = await (await gatewayClient(env, flags)).uploadExtension(await openAsBlob(file));
      if (flags.json) return printJson(extension);
      const { name, version, id } = extension;
      console.log(`${name} ${version} is uploaded. Its id is ${id}.`);
    });

  callFlags(commands.command('ls').alias('list'))
    .description('list extensions')
    .action(async (flags: CallFlags) => {
      const extensions = await (await gatewayClient(env, flags)).listExtensions();
      if (flags.json) return printJson(extensions);
      if (extensions.length === 0)
        return console.log(
          paint.dim('There are no extensions. Upload one with turnpike extensions upload FILE.'),
        );
      const rows = extensions.map(({ id, name, version, size, createdAt }) => [
        name,
        version,
        id,
        bytes(size),
        moment(createdAt),
      ]);
      console.log(drawTable(['name', 'version', 'id', 'size', 'uploaded (UTC)'], rows, ['size']));
    });

  callFlags(commands.command('rm <id>').alias('delete'))
    .description('delete an extension')
    .action(async (id: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).deleteExtension(id);
      if (flags.json) printJson({ id });
      else console.log(`Extension ${id} is deleted.`);
    });
}
