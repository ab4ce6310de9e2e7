/** WebDriver's keys without a character, as Unicode's private area has them. */
const keys = new Map(
  Object.entries({
    e003: 'Backspace',
    e004: 'Tab',
    e006: 'Enter',
    e007: 'Enter',
    e008: 'Shift',
    e009: 'Control',
    e00a: 'Alt',
    e00c: 'Escape',
    e00d: 'Space',
    e00e: 'PageUp',
    e00f: 'PageDown',
    e010: 'End',
    e011: 'Home',
    e012: 'ArrowLeft',
    e013: 'ArrowUp',
    e014: 'ArrowRight',
    e015: 'ArrowDown',
    e016: 'Insert',
    e017: 'Delete',
    e03d: 'Meta',
  }),
);
const maxKeys = 10;

/** The names of keys if a text has nothing else; undefined if it has characters too, which are not told. */
export function keyNames(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '' || text.length > maxKeys) return undefined;
  const names = [...text].map((key) => keys.get(key.charCodeAt(0).toString(16)));
  return names.includes(undefined) ? undefined : names.join(' ');
}
