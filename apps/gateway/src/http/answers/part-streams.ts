import { Readable } from 'node:stream';
import { Slices } from '@turnpike/process/work/slices';
import type { FastifyReply } from 'fastify';

/** Parts of an answer that are made as they are read. */
type Parts = AsyncGenerator<string | Buffer>;

/** Makes a stream whose first part is there, so that what fails at once is still an error answer. */
export async function begun(parts: Parts): Promise<Readable> {
  const first = await parts.next();
  return streamOf(
    (async function* () {
      try {
        if (!first.done) yield first.value;
        yield* parts;
      } finally {
        await parts.return(undefined);
      }
    })(),
  );
}

/** Makes a stream that holds a part or two. One of objects would hold sixteen, however large they are. */
export function streamOf(parts: AsyncIterable<string | Buffer>): Readable {
  return Readable.from(parts, { objectMode: false });
}

/** Lists up to this are written at once. */
const shortList = 500;

/** Sends an object with a list that may be long. `size`: how many parts its items have together. */
export function sendWithList<Item extends object>(
  reply: FastifyReply,
  object: object,
  name: string,
  items: readonly Item[],
  size = items.length,
): FastifyReply {
  if (size <= shortList) return reply.send({ ...object, [name]: items });
  return reply.type('application/json; charset=utf-8').send(streamOf(jsonWithList(object, name, items)));
}

/** Writes JSON of an object with a long list, so that others are served in between. */
export async function* jsonWithList(object: object, name: string, items: readonly object[]): Parts {
  const slices = new Slices();
  const head = JSON.stringify({ ...object, [name]: [] });
  let text = head.slice(0, -']}'.length);
  for (const [i, item] of items.entries()) {
    text += (i === 0 ? '' : ',') + JSON.stringify(item);
    if (slices.isOver) {
      yield text;
      text = '';
      await slices.pause();
    }
  }
  yield `${text}]}`;
}
