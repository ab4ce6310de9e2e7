import type { RecordedEvent } from '@turnpike/contract/recording';
import type { RecordingRow } from '../store/tables.ts';
import { HarWriter } from './har.ts';
import { chunksOf, readEvents, readPictures, wholeRange } from './read-recording.ts';
import type { RecordingContext } from './recording-context.ts';

/** Exports of a whole recording, part by part, so that none takes more memory than a few chunks. */

export async function* exportHar(
  context: RecordingContext,
  row: RecordingRow,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const har = new HarWriter(row.started_at);
  let text = har.begin();
  for await (const chunk of chunksOf(context, row, wholeRange)) {
    for (const line of linesOf(await readEvents(context, chunk, signal))) {
      const event = parseEvent(line);
      if (event) text += har.add(event, line.length);
    }
    if (text !== '') yield text;
    text = '';
  }
  yield text + har.end();
}

/** All events, one a line. Those of pictures have the picture itself, in base64. */
export async function* exportLines(
  context: RecordingContext,
  row: RecordingRow,
  signal: AbortSignal,
): AsyncGenerator<string | Buffer> {
  for await (const chunk of chunksOf(context, row, wholeRange)) {
    const events = await readEvents(context, chunk, signal);
    const pictures = await readPictures(context, chunk, signal);
    if (pictures.length === 0 && events.length > 0) yield events;
    else for (const line of linesOf(events)) yield `${withPicture(line, pictures)}\n`;
  }
}

function withPicture(line: string, pictures: readonly Buffer[]): string {
  if (!line.includes('"kind":"picture"')) return line;
  const event = parseEvent(line);
  const picture = event?.kind === 'picture' ? pictures[event.picture] : undefined;
  return picture ? JSON.stringify({ ...event, jpeg: picture.toString('base64') }) : line;
}

function linesOf(events: Buffer): string[] {
  return events
    .toString()
    .split('\n')
    .filter((line) => line !== '');
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
