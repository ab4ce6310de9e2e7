/** A block of a stream of server-sent events. */
export interface StreamBlock {
  /** The last id that the stream has named so far; empty: none. */
  id: string;
  /** Empty: the block has no event. */
  data: string;
}

/**
 * Reads server-sent events as https://html.spec.whatwg.org/multipage/server-sent-events.html has them, except that a
 * block without data is told too, since its id counts. This is our own code, not a library's (`eventsource-parser`),
 * because the client is published without dependencies; tests/clients/event-streams.json holds it to the standard.
 */
export async function* readEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<StreamBlock> {
  let id = '';
  let data: string[] = [];
  for await (const line of readLines(chunks)) {
    if (line === '') {
      yield { id, data: data.join('\n') };
      data = [];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
}

/** Lines end in CRLF, LF or CR. What follows the last end of a line is no line. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    // A CR at the end of a chunk waits for the LF that may follow.
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
