import { type Outline, outlineOfStart } from './message-outline.ts';

/** What clients write before the parameters, and after them. */
const [startBytes, endBytes] = [4096, 300];

/** A member at the end of what is left of the end. None of them has an escape, or another member in it. */
const lastMember =
  /,[ \t\r\n]*"(id|method|sessionId)"[ \t\r\n]*:[ \t\r\n]*(\d{1,15}|"[\w.]{1,100}")[ \t\r\n]*$/;
const lastBrace = /\}[ \t\r\n]*$/;

/**
 * Finds the members that say what a large message is, at its start and at its end, without reading it as a whole. If it
 * is JSON, what is found there is of the message itself: going back from the final brace, every quote opens or closes a
 * string, and the brace can only close the outermost object. Chromium refuses it otherwise. There may be others between.
 */
export function edgesOf(message: Buffer): Outline {
  const outline = outlineOfStart(message.subarray(0, startBytes));
  const from = Math.max(0, message.length - endBytes);
  const end = message.toString('latin1', from);
  let left = lastBrace.exec(end)?.index ?? 0;
  const found: Outline = {};
  for (;;) {
    const match = lastMember.exec(end.slice(0, left));
    if (!match) return { ...outline, ...found };
    const [all, name, value = ''] = match;
    const start = from + match.index + all.lastIndexOf(value);
    found[name as 'id'] ??= { start, end: start + value.length };
    left = match.index;
  }
}
