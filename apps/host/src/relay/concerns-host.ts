const emulation = '"Emulation.';
/** Clients write the method before its parameters: a message need not be searched to its end. */
export const searchedBytes = 100;

const [quote, firstOfEmulation] = [0x22, 0x45];

/** Of a message to a client's own session: whether the host has to know of it. Asked for each, so bytes are looked at. */
export function concernsHost(bytes: Buffer, start: number, end: number): boolean {
  const searched = Math.min(start + searchedBytes, end);
  for (let i = start + 1; i < searched; i++) {
    if (bytes[i] !== firstOfEmulation || bytes[i - 1] !== quote) continue;
    if (bytes.toString('latin1', i - 1, i - 1 + emulation.length) === emulation) return true;
  }
  return false;
}
