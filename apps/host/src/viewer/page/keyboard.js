/**
 * The keyboard of a phone comes up for a text field only, and writes whole words into it, corrections included. So
 * there is a field, and what changes in it is typed into the session.
 */

/** Something for Backspace to take away. */
const padding = ' '.repeat(64);
const backspace = 0xff08;
const enter = 0xff0d;

export function listenToTouchKeyboard({ button, input }, current) {
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
    if (!event.isComposing && (last.length < 8 || last.length > 512)) reset();
  });
}

/** The keys that turn one text into the other, at its end. */
export function keysBetween(before, after) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const removed = Array.from(before.slice(same), () => backspace);
  return [...removed, ...Array.from(after.slice(same), keysymOf)];
}

function keysymOf(character) {
  const point = character.codePointAt(0);
  if (character === '\n') return enter;
  return point >= 0x20 && point <= 0xff ? point : 0x1000000 + point;
}
