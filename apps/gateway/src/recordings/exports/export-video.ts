import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { within } from '@turnpike/process/within';
import { FairSlots } from '../../http/answers/fair-slots.ts';
import { ApiError } from '../../http/api-error.ts';
import { readStoredJson } from '../../store/stored-json.ts';
import type { RecordingRow } from '../../store/tables/recording-tables.ts';
import { chunksOf, wholeRange } from '../list-chunks.ts';
import { readPictures } from '../read-recording.ts';
import type { RecordingContext } from '../recording-context.ts';
import { ffmpegCommand, maxVideoBytes, programs } from './video-sandbox.ts';

const waiting = { waitingPerOwner: 2, maxWaitMs: 60_000 };
/** Videos that one gateway makes at a time: each takes a core. */
const encoding = new FairSlots({ ...waiting, atOnce: 2, perOwner: 1 });
/** Videos that are made or being read: a whole one waits in memory for its reader. */
const unread = new FairSlots({ ...waiting, atOnce: 8, perOwner: 2 });
const timeoutMs = 600_000;
/** An hour at two pictures a second. Longer recordings have fewer a second. */
const maxFrames = 7200;
const maxFramesPerSecond = 4;

/** Makes a WebM video of a recording's pictures. Nothing of it is on a disk: pictures come in, and the video goes out, by pipes. */
export async function* exportVideo(
  context: RecordingContext,
  row: RecordingRow,
  callerGone: AbortSignal,
): AsyncGenerator<Buffer> {
  if (row.pictures === 0) throw new ApiError('noPictures');
  for (const program of programs)
    await access(program).catch((cause) => {
      throw new ApiError('videoUnavailable', { cause });
    });
  using _unread = await unread.take(row.account_id, callerGone);
  using slot = await encoding.take(row.account_id, callerGone);
  using limit = within(timeoutMs, callerGone);
  const framesPerSecond = rateOf(row.duration_ms);
  const ffmpeg = start(framesPerSecond);
  limit.signal.addEventListener('abort', () => ffmpeg.kill('SIGKILL'));
  try {
    const fed = pipeline(framesOf(context, row, framesPerSecond, limit.signal), ffmpeg.stdin);
    // Awaited below; it must not count as unhandled before.
    fed.catch(() => ffmpeg.kill('SIGKILL'));
    let size = 0;
    for await (const part of ffmpeg.stdout) {
      // The first part comes when the whole video is made. Its reader may take long.
      slot[Symbol.dispose]();
      size += part.length;
      if (size > maxVideoBytes) throw new Error('The video is too large.');
      yield part;
    }
    await fed;
    await succeeded(ffmpeg);
  } finally {
    ffmpeg.kill('SIGKILL');
  }
}

const rateOf = (durationMs: number): number =>
  Math.min(maxFramesPerSecond, maxFrames / Math.max(1, durationMs / 1000));

type Ffmpeg = ChildProcessByStdio<Writable, Readable, Readable> & { problem: string };

function start(framesPerSecond: number): Ffmpeg {
  const [command = '', ...args] = ffmpegCommand(framesPerSecond);
  const child = Object.assign(spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: {} }), {
    problem: '',
  });
  child.on('error', (error) => {
    child.problem = error.message;
  });
  // ffmpeg that ends early breaks the pipe; its exit tells why.
  child.stdin.on('error', () => {});
  child.stderr.on('data', (text: Buffer) => {
    if (child.problem.length < 2000) child.problem += text.toString();
  });
  return child;
}

async function succeeded(child: Ffmpeg): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
    await once(child, 'exit');
  if (child.exitCode !== 0)
    throw new Error(
      `ffmpeg ended with ${child.exitCode ?? child.signalCode}: ${child.problem.slice(0, 500)}`,
    );
}

/** Yields the picture of each moment: the last one before it. */
async function* framesOf(
  context: RecordingContext,
  row: RecordingRow,
  framesPerSecond: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const frameMs = 1000 / framesPerSecond;
  let shown: Buffer | undefined;
  let frame = 0;
  for await (const chunk of chunksOf(context, row, wholeRange)) {
    const times: number[] = readStoredJson(chunk.picture_times);
    for (const [i, picture] of (await readPictures(context, chunk, signal)).entries()) {
      shown ??= picture;
      for (; frame * frameMs < (times[i] ?? 0) && frame < maxFrames; frame++) yield shown;
      shown = picture;
    }
  }
  if (!shown) return;
  do yield shown;
  while (++frame * frameMs < row.duration_ms && frame < maxFrames);
}
