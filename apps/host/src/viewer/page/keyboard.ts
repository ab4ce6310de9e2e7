import type RFB from './novnc/core/rfb.js';

/**
 * A phone's keyboard opens only for a text field, and writes whole words into it, corrections included. So the page has
 * a text field, and its changes are typed into the session.
 */

/** Characters for Backspace to delete. */
const padding = ' '.repeat(64);
const backspace = 0xff08;
const enter = 0xff0d;

export interface KeyboardElements {
  button: HTMLElement;
  input: HTMLTextAreaElement;
}

export function listenToTouchKeyboard(
  { button, input }: KeyboardElements,
  current: () => RFB | undefined,
): void {
  let last = '';
  const reset = () => {
    input.value = padding;
    last = padding;
    input.setSelectionRange(padding.length, padding.length);
  };
  button.addEventListener('click', () => {
    reset();
    input.focus();
  });
  input.addEventListener('input', (event) => {
    for (const key of keysBetween(last, input.value)) current()?.sendKey(key, null);
    last = input.value;
    const isComposing = event instanceof InputEvent && event.isComposing;
    if (!isComposing && (last.length < 8 || last.length > 512)) reset();
  });
}

/** The keys that change the end of one text into the other. */
export function keysBetween(before: string, after: string): number[] {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const removed = Array.from(before.slice(same), () => backspace);
  return [...removed, ...Array.from(after.slice(same), keysymOf)];
}

function keysymOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (character === '\n') return enter;
  return point >= 0x20 && point <= 0xff ? point : 0x1000000 + point;
}
