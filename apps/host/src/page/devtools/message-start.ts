/** What a message of DevTools is, by its first bytes. Chromium and the relay write `id` or `method` first. */
export type MessageStart = { id: number } | { method: string } | undefined;

const idStart = '{"id":';
const methodStart = '{"method":"';
const maxStart = 100;

export function readMessageStart(message: Buffer): MessageStart {
  const start = message.toString('latin1', 0, maxStart);
  if (start.startsWith(idStart)) {
    const id = Number.parseInt(start.slice(idStart.length), 10);
    return Number.isSafeInteger(id) ? { id } : undefined;
  }
  if (!start.startsWith(methodStart)) return undefined;
  const end = start.indexOf('"', methodStart.length);
  return end === -1 ? undefined : { method: start.slice(methodStart.length, end) };
}
