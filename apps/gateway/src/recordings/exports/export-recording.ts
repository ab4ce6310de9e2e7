import type { RecordedEvent } from '@turnpike/contract/recording';
import { Slices } from '@turnpike/process/work/slices';
import type { RecordingRow } from '../../store/tables/recording-tables.ts';
import { chunksOf, wholeRange } from '../list-chunks.ts';
import { readEvents, readPictures } from '../read-recording.ts';
import type { RecordingContext } from '../recording-context.ts';
import { HarWriter } from './har.ts';

const newline = 0x0a;

/** Exports of a whole recording, part by part, so that none takes more memory than a few chunks. */

export async function* exportHar(
  context: RecordingContext,
  row: RecordingRow,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const har = new HarWriter(row.started_at);
  const slices = new Slices();
  let text = har.begin();
  for await (const chunk of chunksOf(context, row, wholeRange)) {
    for (const line of linesOf(await readEvents(context, chunk, signal))) {
      const event = parseEvent(line);
      if (event) text += har.add(event, line.length);
      await slices.pause();
    }
    if (text !== '') yield text;
    text = '';
  }
  // Nothing is written yet for a recording without chunks.
  if (text !== '') yield text;
  for (const part of har.end()) {
    yield part;
    await slices.pause();
  }
}

/** All events, one a line. Those of pictures have the picture itself, in base64. */
export async function* exportLines(
  context: RecordingContext,
  row: RecordingRow,
  signal: AbortSignal,
): AsyncGenerator<string | Buffer> {
  const slices = new Slices();
  for await (const chunk of chunksOf(context, row, wholeRange)) {
    const events = await readEvents(context, chunk, signal);
    const pictures = await readPictures(context, chunk, signal);
    if (pictures.length === 0 && events.length > 0) yield events;
    else
      for (const line of linesOf(events)) {
        yield `${withPicture(line, pictures)}\n`;
        await slices.pause();
      }
  }
}

function withPicture(line: string, pictures: readonly Buffer[]): string {
  if (!line.includes('"kind":"picture"')) return line;
  const event = parseEvent(line);
  const picture = event?.kind === 'picture' ? pictures[event.picture] : undefined;
  return picture ? JSON.stringify({ ...event, jpeg: picture.toString('base64') }) : line;
}

/** Decodes line by line: all lines of a chunk at once would take long. */
function* linesOf(events: Buffer): Generator<string> {
  for (let from = 0; from < events.length; ) {
    const found = events.indexOf(newline, from);
    const to = found === -1 ? events.length : found;
    if (to > from) yield events.toString('utf8', from, to);
    from = to + 1;
  }
}

/** A line that is damaged is left out: the others are still worth reading. */
function parseEvent(line: string): RecordedEvent | undefined {
  try {
    const event = JSON.parse(line) as RecordedEvent;
    return typeof event?.kind === 'string' && typeof event.t === 'number' ? event : undefined;
  } catch {
    return undefined;
  }
}
