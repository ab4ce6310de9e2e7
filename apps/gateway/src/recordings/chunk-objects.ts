import type { RecordingChunk } from '@turnpike/contract/recording';
import { associatedData } from '../secrets/associated-data.ts';
import type { Sealer } from '../secrets/sealer.ts';

/** The two objects of a chunk: its gzipped events, and its pictures. Both are sealed for their session and number. */
export type ObjectKind = 'events' | 'pictures';

interface ObjectName {
  sessionId: string;
  chunk: number;
  kind: ObjectKind;
}

export const objectKey = ({ sessionId, chunk, kind }: ObjectName): string => `${sessionId}/${chunk}.${kind}`;

interface SealedChunk {
  events: Buffer;
  /** Undefined if it has none. */
  pictures: Buffer | undefined;
}

export function sealChunk(
  sealer: Sealer,
  { sessionId, index, events, pictures }: RecordingChunk,
): SealedChunk {
  const seal = (kind: ObjectKind, bytes: Buffer) =>
    sealer.sealBytes(bytes, associatedData.recording({ sessionId, chunk: index, kind }));
  return {
    events: seal('events', events),
    pictures: pictures.length > 0 ? seal('pictures', packPictures(pictures)) : undefined,
  };
}

export function openObject(sealer: Sealer, name: ObjectName, sealed: Buffer): Promise<Buffer> {
  return sealer.openLarge(sealed, associatedData.recording(name));
}

/** Puts pictures one after the other, behind their number and lengths. */
function packPictures(pictures: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(4 * (pictures.length + 1));
  head.writeUInt32BE(pictures.length);
  for (const [i, { length }] of pictures.entries()) head.writeUInt32BE(length, 4 * (i + 1));
  return Buffer.concat([head, ...pictures]);
}

export function unpackPictures(packed: Buffer): Buffer[] {
  const count = packed.readUInt32BE();
  let from = 4 * (count + 1);
  return Array.from({ length: Math.min(count, packed.length / 4) }, (_, i) => {
    const to = from + packed.readUInt32BE(4 * (i + 1));
    const picture = packed.subarray(from, to);
    from = to;
    return picture;
  });
}
