/** Something that reads what others send. */
export interface Reader {
  name: string;
  /** What it looks for, beside what all inputs are made of. */
  tokens: readonly string[];
  /** Reads one input. May throw, as parsers do for what is not valid. */
  read(text: string): unknown;
  /** What stands before and after the made-up part, so that it is read at all. */
  around?: readonly (readonly [before: string, after: string])[];
  /** The largest input, where the reader itself takes no larger one or is slow to start. */
  maxSize?: number;
}

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
