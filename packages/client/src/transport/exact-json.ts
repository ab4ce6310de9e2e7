/** `JSON.rawJSON` is newer than the types of `JSON` and than Node 20. */
const raw = JSON as unknown as { rawJSON?: (text: string) => unknown };

/** Parses JSON; integers past 2^53 become bigints, which keep all digits. On Node 20 they stay numbers. */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value;
  return JSON.parse(text, keepDigits);
}

/** Writes JSON; bigints become numbers with all their digits. */
export function writeJson(value: unknown, indent?: number): string {
  const withDigits = (_key: string, member: unknown): unknown =>
    typeof member === 'bigint' && raw.rawJSON ? raw.rawJSON(String(member)) : member;
  return JSON.stringify(value, withDigits, indent);
}
