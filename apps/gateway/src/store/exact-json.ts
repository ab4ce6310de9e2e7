/** Matches numbers that JavaScript may write differently: many digits, a fraction, an exponent, a negative zero. */
const suspect = /\d{16}|\d[.eE]|-0/;

/** Missing from the types of `JSON`. */
const raw = JSON as unknown as { rawJSON(text: string): ExactNumber; isRawJSON(value: unknown): boolean };

export interface ExactNumber {
  readonly rawJSON: string;
}

/** Makes a number for `JSON.stringify`, with exactly these digits. */
export const exactNumber = (text: string): ExactNumber => raw.rawJSON(text);

export const isExactNumber = (value: unknown): value is ExactNumber => raw.isRawJSON(value);

/**
 * Parses JSON that will be written again. Numbers that would come out differently keep their digits (`exactNumber`), so
 * that an id of 20 digits stays that id. Not for values to calculate with.
 */
export function parseExactJson(text: string): unknown {
  if (!suspect.test(text)) return JSON.parse(text);
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined && JSON.stringify(value) !== context.source
      ? exactNumber(context.source)
      : value;
  return JSON.parse(text, keepDigits);
}
