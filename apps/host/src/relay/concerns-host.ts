const emulation = '"Emulation.';
/** Clients write the method before its parameters: a message need not be searched to its end. */
export const searchedBytes = 100;

const [quote, firstOfEmulation] = [0x22, 0x45];

/** Of a message to a client's own session: whether the host has to know of it. Asked for each, so bytes are looked at. */
export function concernsHost(message: Buffer): boolean {
  const end = Math.min(searchedBytes, message.length);
  for (let i = 1; i < end; i++) {
    if (message[i] !== firstOfEmulation || message[i - 1] !== quote) continue;
    if (message.toString('latin1', i - 1, i - 1 + emulation.length) === emulation) return true;
  }
  return false;
}
