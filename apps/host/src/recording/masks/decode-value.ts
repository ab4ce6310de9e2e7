const [percent, replaced] = [0x25, '\ufffd'];

/** Decodes the value of a parameter. What is not encoded in UTF-8 stays as it is. */
export function decodeValue(value: string): string {
  const text = value.includes('+') ? value.replaceAll('+', ' ') : value;
  if (!/%[\da-f]{2}/i.test(text)) return text;
  // Unlike `decodeURIComponent` it never throws, which takes long where there are many.
  const bytes = Buffer.from(text);
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] === percent ? hexByte(bytes, at + 1) : undefined;
    bytes[end++] = byte ?? (bytes[at] as number);
    if (byte !== undefined) at += 2;
  }
  const plain = bytes.toString('utf8', 0, end);
  return plain.includes(replaced) ? value : plain;
}

function hexByte(bytes: Buffer, at: number): number | undefined {
  const [high, low] = [hexDigit(bytes[at]), hexDigit(bytes[at + 1])];
  return high === undefined || low === undefined ? undefined : 16 * high + low;
}

function hexDigit(code: number | undefined): number | undefined {
  if (code === undefined) return undefined;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : undefined;
}
