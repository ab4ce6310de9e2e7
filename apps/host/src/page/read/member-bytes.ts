import { Slices } from '@turnpike/process/work/slices';

/** Decoded at once. A multiple of four: base64 is decoded in groups. */
const chunkBytes = 2 ** 20;

/** The bytes between the quotes of the first member with this name, whose value is base64 or has no quotes in it. */
export function memberBytes(message: Buffer, name: string): Buffer {
  const before = `"${name}":"`;
  const at = message.indexOf(before, 0, 'latin1');
  const start = at + before.length;
  const end = at === -1 ? -1 : message.indexOf(0x22, start);
  if (end === -1) throw new Error(`The browser's answer has no ${name}`);
  return message.subarray(start, end);
}

/** Decodes base64 in slices, into memory of its own that can be given to another thread. */
export async function decodeBase64(base64: Buffer): Promise<Uint8Array> {
  const { length } = base64;
  let padding = 0;
  while (padding < 2 && base64[length - 1 - padding] === 0x3d) padding += 1;
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.floor((length * 3) / 4) - padding));
  const slices = new Slices();
  let written = 0;
  for (let at = 0; at < length; at += chunkBytes) {
    written += bytes.write(base64.toString('latin1', at, at + chunkBytes), written, 'base64');
    await slices.pause();
  }
  return bytes.subarray(0, written);
}

/** Memory of its own with all parts one after the other. */
export async function joinParts(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const slices = new Slices();
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
    await slices.pause();
  }
  return bytes;
}
