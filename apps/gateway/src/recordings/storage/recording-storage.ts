/** Where the bytes of recordings are: a directory, or a bucket of S3-compatible storage. */
export type RecordingLocation =
  | { kind: 'file'; directory: string }
  | {
      kind: 's3';
      bucket: string;
      /** Empty, or ends with a slash. */
      prefix: string;
      /** Undefined means Amazon's. */
      endpoint: string | undefined;
      /** Undefined means as Amazon's tools find it. */
      region: string | undefined;
    };

/** Stores sealed objects by key: `<session>/<chunk>.events` and `<session>/<chunk>.pictures`. Every call may be repeated. */
export interface RecordingStorage {
  /** Replaces what has this key. Nobody ever reads half an object. */
  put(key: string, bytes: Buffer, signal: AbortSignal): Promise<void>;
  /** Returns undefined if there is none. */
  get(key: string, signal: AbortSignal): Promise<Buffer | undefined>;
  delete(keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** Deletes all objects of a session, those that no row knows included. */
  deleteSession(sessionId: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** The largest object: eight pictures of 512 KiB, with room for their seal. */
export const maxObjectBytes = 5 * 2 ** 20;

export class ObjectTooLargeError extends Error {
  constructor(key: string) {
    super(`The object ${key} of a recording is larger than any that the service writes.`);
    this.name = 'ObjectTooLargeError';
  }
}
