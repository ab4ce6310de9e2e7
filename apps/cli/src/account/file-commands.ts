import { openAsBlob } from 'node:fs';
import { access, constants, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Environment } from '@turnpike/process/settings';
import type { Command } from 'commander';
import { drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient } from './gateway-call.ts';

/** `turnpike files`: a session's downloads and uploads. */
export function fileCommands(program: Command, env: Environment): void {
  const files = program.command('files').description('list, get and put files of a running session');
  callFlags(files.command('ls <session>'))
    .description('list files')
    .action(async (session: string, flags: CallFlags) => {
      const all = await (await gatewayClient(env, flags)).files.list(session);
      if (flags.json) return printJson(all);
      if (all.length === 0) return console.log(paint.dim('There are no files.'));
      const rows = all.map((file) => [shown(file.name), bytes(file.bytes), moment(file.modifiedAt)]);
      console.log(drawTable(['name', 'size', 'changed (UTC)'], rows, ['size']));
    });

  callFlags(files.command('get <session> <name> [file]'))
    .description('download a file: to a path, to - (standard output), or under its own name')
    .action(async (session: string, name: string, file: string | undefined, flags: CallFlags) => {
      const content = await (await gatewayClient(env, flags)).files.download(session, name);
      if (file === '-') return pipeline(Readable.fromWeb(content as never), process.stdout, { end: false });
      // A page chose the name: it must not overwrite anything.
      const [path, flag] = file === undefined ? [basename(name), 'wx'] : [file, 'w'];
      await writeFile(path, Readable.fromWeb(content as never), { flag });
      if (flags.json) printJson({ name, file: path });
    });

  callFlags(files.command('put <session> <file> [name]'))
    .description('upload a file, which pages can then choose')
    .action(async (session: string, file: string, name = basename(file), flags: CallFlags) => {
      await access(file, constants.R_OK); // Its error says what is wrong; openAsBlob's does not.
      const content = await openAsBlob(file);
      await (await gatewayClient(env, flags)).files.upload(session, name, content);
      const path = `/home/user/files/${name}`;
      if (flags.json) printJson({ name, path });
      else console.log(path);
    });

  callFlags(files.command('rm <session> <name>'))
    .description('delete a file')
    .action(async (session: string, name: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).files.delete(session, name);
      if (flags.json) printJson({ name });
    });
}

/** A page chose the name, which may hold control characters for the terminal. */
function shown(name: string): string {
  return stripVTControlCharacters(name).replace(/\p{Cc}/gu, '?');
}
