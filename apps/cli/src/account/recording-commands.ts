import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Environment } from '@turnpike/process/settings';
import { type Command, Option } from 'commander';
import type { RecordingFormat, RecordingSummary } from 'turnpike-client';
import { drawFacts, drawTable, paint } from '../terminal/drawing.ts';
import { printJson } from '../terminal/print.ts';
import { bytes, moment } from '../terminal/wording.ts';
import { type CallFlags, callFlags, gatewayClient, wholeNumber } from './gateway-call.ts';

const formats: RecordingFormat[] = ['har', 'ndjson', 'webm'];

/** `turnpike recordings` and `replay`: what sessions with `--record` did. */
export function recordingCommands(program: Command, env: Environment): void {
  const recordings = program
    .command('recordings')
    .alias('recording')
    .description('list, export, share and delete recordings of sessions');

  callFlags(recordings.command('ls'))
    .description('list recordings, newest first')
    .action(async (flags: CallFlags) => {
      const all: RecordingSummary[] = [];
      for await (const recording of (await gatewayClient(env, flags)).recordings.list()) all.push(recording);
      if (flags.json) return printJson(all);
      if (all.length === 0)
        return console.log(paint.dim('There are no recordings. Make one with turnpike open --record.'));
      const headings = ['session', 'started (UTC)', 'length', 'events', 'errors', 'size', 'expires (UTC)'];
      console.log(drawTable(headings, all.map(rowOf), ['length', 'events', 'errors', 'size']));
    });

  callFlags(recordings.command('export <session> [file]'))
    .description('save a recording: as HAR 1.2, as lines of JSON, or as a video')
    .addOption(new Option('--format <format>', 'what to save').choices(formats).default('har'))
    .addHelpText(
      'after',
      `
Without a file it is saved as SESSION.FORMAT here. With - it is printed.

Examples:
  turnpike recordings export br_0123456789abcdef01234567
  turnpike recordings export br_0123456789abcdef01234567 night.webm --format webm
  turnpike recordings export br_0123456789abcdef01234567 - --format ndjson | grep exception`,
    )
    .action(
      async (
        session: string,
        file: string | undefined,
        { format, ...flags }: { format: RecordingFormat } & CallFlags,
      ) => {
        const exported = await (await gatewayClient(env, flags)).recordings.export(session, format);
        const content = Readable.fromWeb(exported as never);
        if (file === '-') return pipeline(content, process.stdout, { end: false });
        const path = file ?? `${session}.${format}`;
        await writeFile(path, content);
        if (flags.json) printJson({ session, file: path });
        else console.log(path);
      },
    );

  callFlags(recordings.command('share <session>'))
    .description('print a link to the player that expires; whoever has it can watch')
    .option('--hours <n>', 'how long it works, 1 to 720', wholeNumber, 24)
    .action(async (session: string, { hours, ...flags }: { hours: number } & CallFlags) => {
      const link = await (await gatewayClient(env, flags)).recordings.share(session, { hours });
      if (flags.json) printJson(link);
      else console.log(drawFacts({ link: link.url, expires: `${moment(link.expiresAt)} UTC` }));
    });

  callFlags(recordings.command('rm <session>'))
    .description('delete a recording')
    .action(async (session: string, flags: CallFlags) => {
      await (await gatewayClient(env, flags)).recordings.delete(session);
      if (flags.json) printJson({ session });
      else console.log(`The recording of ${session} is deleted.`);
    });

  callFlags(program.command('replay <session>'))
    .description('print a link to the player of a recording, which works for an hour')
    .option('--open', 'open it in your browser')
    .action(async (session: string, { open, ...flags }: { open?: boolean } & CallFlags) => {
      const link = await (await gatewayClient(env, flags)).recordings.share(session, { hours: 1 });
      if (flags.json) printJson(link);
      else console.log(link.url);
      if (open) openInBrowser(link.url);
    });
}

function rowOf(recording: RecordingSummary): string[] {
  const { sessionId, startedAt, durationMs, events, errors, expiresAt, state } = recording;
  const length = `${Math.round(durationMs / 1000)} s`;
  return [
    sessionId,
    moment(startedAt),
    state === 'recording' ? `${length}, goes on` : length,
    String(events),
    errors > 0 ? paint.bad(String(errors)) : '0',
    bytes(recording.bytes),
    moment(expiresAt),
  ];
}

function openInBrowser(url: string): void {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.once('error', () => console.error(`turnpike: ${opener} is not installed; open the link yourself`));
  child.unref();
}
