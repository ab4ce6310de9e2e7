/** Uploads and downloads of one session at once: more than clients use, and few enough to cost others nothing. */
export const maxTransfers = 16;
/** An upload is cancelled after this time without a byte. */
export const stallMs = 30_000;

const answers = {
  'not-found': { status: 404, message: 'File not found' },
  'bad-name': {
    status: 400,
    message: 'A file name is 1 to 200 bytes, without a slash, and does not begin with .upload-',
  },
  'no-room': { status: 413, message: "The file does not fit into what is left of the session's scratch" },
  'cut-off': { status: 400, message: 'The upload ended before its end' },
  stalled: { status: 408, message: `The upload stopped: nothing came for ${stallMs / 1000} seconds` },
  'too-many': {
    status: 429,
    message: `At most ${maxTransfers} files of a session are sent at the same time. Try again when one is done.`,
  },
  ended: { status: 410, message: 'The session has ended' },
  'not-written': { status: 500, message: 'The file could not be written' },
} as const satisfies Record<string, { status: number; message: string }>;

export type FileErrorCode = keyof typeof answers;

/** An error with a session's file, with its HTTP status and message. */
export class FileError extends Error {
  readonly status: number;

  constructor(code: FileErrorCode, options?: ErrorOptions) {
    super(answers[code].message, options);
    this.name = 'FileError';
    this.status = answers[code].status;
  }
}
