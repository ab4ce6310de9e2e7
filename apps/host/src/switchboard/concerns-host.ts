/** Only the start of a message is searched: clients write the method before its parameters. */
export const searchedBytes = 100;

const quote = 0x22;

/**
 * Methods that the host has to know of, even where a client sends them to its own CDP session: what clients emulate,
 * what runs a stopped target, where downloads go and uploads come from, what shows a client the page's scripts, and what
 * is refused: extensions, and too many CDP sessions. Extensions are loaded by the browser itself, and the host sees all
 * that clients send to that.
 */
const known = [
  '"Emulation.',
  '"Extensions.',
  '"Target.attachTo',
  '"Runtime.runIfWaitingForDebugger"',
  '"Browser.setDownloadBehavior"',
  '"Page.setDownloadBehavior"',
  '"DOM.setFileInputFiles"',
  '"Input.dispatchDragEvent"',
  '"Debugger.enable"',
  '"Profiler.enable"',
].map((text) => Buffer.from(text));

/** The same by their first letter. */
const byLetter: (readonly Buffer[] | undefined)[] = [];
for (const text of known) {
  const letter = text[1] as number;
  byLetter[letter] = [...(byLetter[letter] ?? []), text];
}
const [firstLetter, lastLetter] = [Math.min(...known.map(letterOf)), Math.max(...known.map(letterOf))];

/** Whether the host has to know of a message to a client's own CDP session. Called for each, so it compares bytes. */
export function concernsHost(bytes: Buffer, start: number, end: number): boolean {
  const searched = Math.min(start + searchedBytes, end);
  for (let i = start + 1; i < searched; i++) {
    const letter = bytes[i] as number;
    if (letter > lastLetter || letter < firstLetter || bytes[i - 1] !== quote) continue;
    for (const text of byLetter[letter] ?? []) if (isAt(bytes, i - 1, end, text)) return true;
  }
  return false;
}

function isAt(bytes: Buffer, at: number, end: number, text: Buffer): boolean {
  if (at + text.length > end) return false;
  for (let i = 2; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}

function letterOf(text: Buffer): number {
  return text[1] as number;
}
