import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { RecordedEvent } from '@turnpike/contract/recording';
import type { Recording } from '@turnpike/contract/recording-answers';
import type { ScratchDirectory } from '../fixtures/process/scratch-directory.ts';

/** A session whose host was killed. */
export interface KilledSession {
  sessionId: string;
  killedAt: number;
  /** When each tick of the page was received, by its number. */
  seenAt: readonly number[];
}

export interface RecordingCheck {
  /** From the last tick in the recording to the kill: what was lost. */
  lostMs: number;
  /** Ticks that had to be there, and ticks that are. */
  dueTicks: number;
  ticks: number;
  chunks: number;
  pictures: number;
  /** From the kill until the recording was ready. */
  readyMs: number;
  failures: string[];
}

interface Account {
  gatewayUrl: string;
  key: string;
  /** For files that are looked at. */
  directory: ScratchDirectory;
}

/** Reads a part of the recording. */
type Read = (rest: string) => Promise<Buffer>;

/** What was recorded more than this long before the kill has to be there. */
const keptMs = 5000;
/** A lease of a host, the minute in which the last chunk may come, and time for a sweep. */
const readyWithinMs = 150_000;

const run = promisify(execFile);

/** Reads the recording of a session whose host was killed, in every way there is, and compares it with what its page did. */
export async function checkKilledRecording(
  { gatewayUrl, key, directory }: Account,
  { sessionId, killedAt, seenAt }: KilledSession,
): Promise<RecordingCheck> {
  const read: Read = async (rest) => {
    const url = `${gatewayUrl}/api/browser/${sessionId}/recording${rest}`;
    const answer = await fetch(url, { headers: { 'x-api-key': key } });
    if (!answer.ok) throw new Error(`The recording${rest} returned ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const recording = await whenReady(read, killedAt);
  const readyMs = Date.now() - killedAt;
  const events = linesOf(await read('/events'));
  const ticks = ticksOf(events);
  const dueTicks = seenAt.findLastIndex((at) => at <= killedAt - keptMs) + 1;
  const failures = [
    ...(dueTicks > 0 ? [] : ['Nothing was due: the page had not run for long enough']),
    ...(ticks.length >= dueTicks ? [] : [`Tick ${dueTicks - 1} is missing: there are ${ticks.length} ticks`]),
    ...(ticks.every(({ tick }, index) => tick === index)
      ? []
      : [`Ticks have gaps: ${ticks.map(({ tick }) => tick)}`]),
    ...(isSorted(events.map(({ t }) => t)) ? [] : ['Its events are not in the order of their times']),
    ...(events.length === recording.events
      ? []
      : [`It has ${events.length} events, and says ${recording.events}`]),
    ...(recording.chunks.every(({ index }, at) => index === at) ? [] : ['Its chunks have a gap']),
    ...(await pictureFailures(read, events, join(directory.path, sessionId))),
    ...(await harFailures(read, dueTicks)),
  ];
  const pictures = events.filter(({ kind }) => kind === 'picture').length;
  return {
    lostMs: killedAt - (ticks.at(-1)?.at ?? 0),
    dueTicks,
    ticks: ticks.length,
    chunks: recording.chunks.length,
    pictures,
    readyMs,
    failures,
  };
}

/** Decodes every picture, on its own, of the export and in the video. `path` is the beginning of names for files. */
async function pictureFailures(
  read: Read,
  events: readonly RecordedEvent[],
  path: string,
): Promise<string[]> {
  const pictures = events.filter((event) => event.kind === 'picture');
  if (pictures.length === 0) return ['It has no pictures'];
  const files = await Promise.all(
    pictures.map(({ chunk, picture }) => read(`/pictures/${chunk}/${picture}`)),
  );
  await writeFile(`${path}.mjpeg`, Buffer.concat(files));
  const decoded = await framesOf(`${path}.mjpeg`, 'mjpeg');
  await writeFile(`${path}.webm`, await read('/export?format=webm'));
  const exported = linesOf(await read('/export?format=ndjson'));
  const inExport = exported.flatMap((event) => ('jpeg' in event ? [String(event.jpeg)] : []));
  const isSame = inExport.join() === files.map((file) => file.toString('base64')).join();
  return [
    ...(decoded === files.length ? [] : [`${decoded} of ${files.length} pictures can be decoded`]),
    ...((await framesOf(`${path}.webm`, 'webm')) > 0 ? [] : ['Its video has no frames']),
    ...(exported.length === events.length
      ? []
      : [`Its export has ${exported.length} of ${events.length} events`]),
    ...(isSame ? [] : ['Its export has other pictures']),
  ];
}

async function harFailures(read: Read, dueTicks: number): Promise<string[]> {
  const { log } = JSON.parse(`${await read('/export?format=har')}`) as {
    log: { entries: { request: { url: string } }[] };
  };
  const requested = new Set(log.entries.map(({ request }) => URL.parse(request.url)?.pathname));
  const due = Array.from({ length: dueTicks }, (_, tick) => `/tick/${tick}`);
  const missing = due.filter((path) => !requested.has(path));
  return missing.length === 0 ? [] : [`Its HAR lacks ${missing}`];
}

async function whenReady(read: Read, killedAt: number): Promise<Recording> {
  for (;;) {
    const recording = JSON.parse(`${await read('')}`) as Recording;
    if (recording.state === 'ready') return recording;
    if (Date.now() > killedAt + readyWithinMs)
      throw new Error(`The recording was not ready after ${readyWithinMs} ms`);
    await delay(1000);
  }
}

const linesOf = (text: Buffer): RecordedEvent[] =>
  `${text}`
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RecordedEvent);

/** The ticks that the page has written to its console, with the page's own times. */
function ticksOf(events: readonly RecordedEvent[]): { tick: number; at: number }[] {
  return events.flatMap((event) => {
    const [, tick, at] = (event.kind === 'console' && /^tick (\d+) (\d+)$/.exec(event.text)) || [];
    return tick === undefined ? [] : [{ tick: Number(tick), at: Number(at) }];
  });
}

const isSorted = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => index === 0 || number >= (numbers[index - 1] ?? 0));

/** Frames that FFmpeg can decode. What it complains about is an error. */
async function framesOf(file: string, format: 'mjpeg' | 'webm'): Promise<number> {
  const wanted = ['-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'];
  const { stdout, stderr } = await run('/usr/bin/ffprobe', ['-v', 'error', '-f', format, ...wanted, file]);
  if (stderr !== '') throw new Error(`FFmpeg complains about ${file}: ${stderr}`);
  return Number.parseInt(stdout, 10);
}
