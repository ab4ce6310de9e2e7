/** Uploads and downloads of one session at once: more than clients use, and few enough to cost others nothing. */
export const maxTransfers = 16;
/** An upload is cancelled after this time without a byte. */
export const stallMs = 30_000;

const answers = {
  'not-found': { status: 404, code: 'FILE_NOT_FOUND', message: 'File not found' },
  'bad-method': {
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    message: 'Method not allowed. The Allow header names those that are.',
  },
  'bad-name': {
    status: 400,
    code: 'FILE_NAME_INVALID',
    message: 'A file name is 1 to 200 bytes, without a slash, and does not begin with .upload-',
  },
  'no-room': {
    status: 413,
    code: 'FILE_TOO_LARGE',
    message: "The file does not fit into what is left of the session's scratch",
  },
  'cut-off': { status: 400, code: 'UPLOAD_INCOMPLETE', message: 'The upload ended before its end' },
  stalled: {
    status: 408,
    code: 'UPLOAD_STALLED',
    message: `The upload stopped: nothing came for ${stallMs / 1000} seconds`,
  },
  'too-many': {
    status: 429,
    code: 'TOO_MANY_TRANSFERS',
    message: `At most ${maxTransfers} files of a session are sent at the same time. Try again when one is done.`,
  },
  ended: { status: 410, code: 'SESSION_ENDED', message: 'The session has ended' },
  'not-written': { status: 500, code: 'FILE_NOT_WRITTEN', message: 'The file could not be written' },
} as const satisfies Record<string, { status: number; code: string; message: string }>;

export type FileErrorName = keyof typeof answers;

/** An error with a session's file, with its HTTP status, the code that clients see and the message. */
export class FileError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(name: FileErrorName, options?: ErrorOptions) {
    super(answers[name].message, options);
    this.name = 'FileError';
    this.status = answers[name].status;
    this.code = answers[name].code;
  }
}
