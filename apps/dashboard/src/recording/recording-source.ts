import type { RecordedEvent } from '@turnpike/contract/recording';
import type { Recording } from '@turnpike/contract/recording-answers';
import { getFile } from '../api/request.ts';
import type { ChunkRange, PicturePlace } from './moments.ts';

/** Where a player reads a recording: the account's own, or one that was shared. */
export interface RecordingSource {
  /** With only the chunks after one, if that is given. */
  index(after: number | undefined, signal: AbortSignal): Promise<Recording>;
  events(range: Pick<ChunkRange, 'from' | 'to'>, signal: AbortSignal): Promise<RecordedEvent[]>;
  /** Resolves to a data URL. */
  picture(place: PicturePlace, signal: AbortSignal): Promise<string>;
}

export function ownRecording(id: string): RecordingSource {
  const params = { id };
  return {
    index: async (after, signal) =>
      (await getFile('/api/browser/:id/recording', { params, query: { after } }, { signal })).json(),
    events: async ({ from, to }, signal) =>
      parseEvents(
        await getFile('/api/browser/:id/recording/events', { params, query: { from, to } }, { signal }),
      ),
    picture: async ({ chunk, picture }, signal) => {
      const place = { ...params, chunk: String(chunk), picture: String(picture) };
      const path = '/api/browser/:id/recording/pictures/:chunk/:picture';
      return dataUrl(await getFile(path, { params: place }, { signal }));
    },
  };
}

export function sharedRecording(token: string): RecordingSource {
  const headers = { 'x-recording-token': token };
  return {
    index: async (after, signal) =>
      (await getFile('/shared-recording', { query: { after } }, { signal, headers })).json(),
    events: async ({ from, to }, signal) =>
      parseEvents(await getFile('/shared-recording/events', { query: { from, to } }, { signal, headers })),
    picture: async ({ chunk, picture }, signal) => {
      const params = { chunk: String(chunk), picture: String(picture) };
      const path = '/shared-recording/pictures/:chunk/:picture';
      return dataUrl(await getFile(path, { params }, { signal, headers }));
    },
  };
}

async function parseEvents(response: Response): Promise<RecordedEvent[]> {
  const lines = (await response.text()).split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as RecordedEvent);
}

/** The content security policy allows pictures as data URLs, and not as URLs of blobs. */
async function dataUrl(response: Response): Promise<string> {
  const blob = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
