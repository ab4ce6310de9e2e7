/** Up to here looking at each byte costs less than a call. */
const maxByHand = 256;

export function hasZeroByte(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > maxByHand) return bytes.subarray(start, end).includes(0);
  for (let i = start; i < end; i++) if (bytes[i] === 0) return true;
  return false;
}
