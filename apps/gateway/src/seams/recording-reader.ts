import type { Readable } from 'node:stream';
import type { Recording, RecordingFormat, ShareLink } from '@turnpike/contract/recording-answers';

/** Whose recording a share link reads. */
export interface SharedRecording {
  accountId: string;
  sessionId: string;
}

/** A recording in another format. */
export interface RecordingFile {
  contentType: string;
  name: string;
  content: Readable | Buffer;
}

/**
 * What the dashboard needs of recordings. Undefined, and false: the account has no such recording, or not that part of
 * it.
 */
export interface RecordingReader {
  /** Describes the recording and, after a certain chunk, its chunks. */
  index(accountId: string, sessionId: string, after: number | undefined): Promise<Recording | undefined>;
  /** Reads the events of chunks, the last one included, as newline-delimited JSON. Parts are read when they are asked for. */
  events(
    accountId: string,
    sessionId: string,
    range: { from: number; to: number },
    signal: AbortSignal,
  ): Promise<AsyncGenerator<string | Buffer> | undefined>;
  picture(accountId: string, sessionId: string, chunk: number, picture: number): Promise<Buffer | undefined>;
  download(
    accountId: string,
    sessionId: string,
    format: RecordingFormat,
    signal: AbortSignal,
  ): Promise<RecordingFile | undefined>;
  remove(accountId: string, sessionId: string): Promise<boolean>;
  /** Creates a link to the page `/shared-recording#token=…`. */
  share(accountId: string, sessionId: string, hours: number): Promise<ShareLink | undefined>;
  /** Undefined: no link has that token, or it has expired. */
  openShare(token: string): Promise<SharedRecording | undefined>;
}
