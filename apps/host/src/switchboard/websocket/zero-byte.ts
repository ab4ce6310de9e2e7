/** Up to this length a loop is faster than a call of `includes`. */
const maxLoopBytes = 256;

export function hasZeroByte(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > maxLoopBytes) return bytes.subarray(start, end).includes(0);
  for (let i = start; i < end; i++) if (bytes[i] === 0) return true;
  return false;
}
