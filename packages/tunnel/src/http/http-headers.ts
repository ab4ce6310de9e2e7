/** The bytes are not valid HTTP. The message says what is wrong. */
export class BadMessage extends Error {
  override readonly name = 'BadMessage';
}

/** Alternating names and values, in their original spelling. */
export type Headers = readonly string[];

export function valuesOf(headers: Headers, lowerName: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? '';
    // Most names differ in length already.
    if (name.length === lowerName.length && name.toLowerCase() === lowerName)
      values.push(headers[i + 1] ?? '');
  }
  return values;
}

/** Whether a list header, such as Connection, contains a token. */
export function hasToken(headers: Headers, lowerName: string, lowerToken: string): boolean {
  return valuesOf(headers, lowerName).some((value) =>
    value.split(',').some((part) => part.trim().toLowerCase() === lowerToken),
  );
}

/** Returns the headers without some of them. */
export function withoutHeaders(headers: Headers, ...lowerNames: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (!lowerNames.includes(name.toLowerCase())) kept.push(name, headers[i + 1] ?? '');
  }
  return kept;
}
