export type FileErrorCode = 'not-found' | 'bad-name' | 'no-room' | 'cut-off' | 'not-written';

const answers: Record<FileErrorCode, { status: number; message: string }> = {
  'not-found': { status: 404, message: 'File not found' },
  'bad-name': {
    status: 400,
    message: 'A file name is 1 to 200 bytes, without a slash, and does not begin with .upload-',
  },
  'no-room': { status: 413, message: "The file does not fit into what is left of the session's scratch" },
  'cut-off': { status: 400, message: 'The upload ended before its end' },
  'not-written': { status: 500, message: 'The file could not be written' },
};

/** What went wrong with a session's file, and what to say of it. */
export class FileError extends Error {
  readonly status: number;

  constructor(code: FileErrorCode, options?: ErrorOptions) {
    super(answers[code].message, options);
    this.name = 'FileError';
    this.status = answers[code].status;
  }
}
