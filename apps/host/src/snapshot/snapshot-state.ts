import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { isSnapshotState, type SnapshotState } from '@turnpike/contract/host/snapshot-state';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import { joinHead, splitHead } from '@turnpike/process/head-and-bytes';
import { ArchiveTooLarge } from '../saved-profile/pack-profile.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);
/** Of the state, as JSON: reading it holds up a thread of the host. */
export const maxStateBytes = 16 * 2 ** 20;

/** Puts the state before the files. */
export async function joinSnapshot(state: SnapshotState, files: Uint8Array): Promise<Buffer> {
  const json = Buffer.from(JSON.stringify(state));
  if (json.length > maxStateBytes) throw new ArchiveTooLarge();
  const zipped = await compress(json);
  return joinHead({ format: 1, stateBytes: zipped.length }, zipped, files);
}

/** Throws if it is none that this version wrote. */
export async function splitSnapshot(
  snapshot: Buffer,
): Promise<{ state: SnapshotState; files: Buffer | undefined }> {
  const parts = splitHead(snapshot, 1024);
  const head = parts && (JSON.parse(parts.head.toString()) as { format?: unknown; stateBytes?: unknown });
  if (!parts || head?.format !== 1 || typeof head.stateBytes !== 'number')
    throw new Error('The snapshot is of another version');
  const zipped = parts.rest.subarray(0, head.stateBytes);
  const json = (await decompress(zipped, { maxOutputLength: maxStateBytes })).toString();
  const state = parseBoundedJson(json);
  if (!isSnapshotState(state)) throw new Error('The snapshot is damaged');
  const files = parts.rest.subarray(head.stateBytes);
  return { state, files: files.length > 0 ? files : undefined };
}
