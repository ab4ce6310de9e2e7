/** What commands of the `Input` domain mean. Typed characters are never told. */

export type MouseKind = 'move' | 'press' | 'release' | 'wheel';

const mouseKinds = new Map<unknown, MouseKind>([
  ['mouseMoved', 'move'],
  ['mousePressed', 'press'],
  ['mouseReleased', 'release'],
  ['mouseWheel', 'wheel'],
]);

export interface Mouse {
  kind: MouseKind;
  x: number;
  y: number;
  /** Such as `click`, of a press. */
  name: string;
  /** Whether it is the second one of a double click, or more. */
  isAgain: boolean;
}

export function mouseOf(params: Readonly<Record<string, unknown>>): Mouse | undefined {
  const { type, x, y, button, clickCount } = params;
  const kind = mouseKinds.get(type);
  if (!kind) return undefined;
  const isAgain = typeof clickCount === 'number' && clickCount > 1;
  const base = button === 'right' ? 'right-click' : button === 'middle' ? 'middle-click' : 'click';
  return { kind, x: Number(x) || 0, y: Number(y) || 0, name: isAgain ? 'double-click' : base, isAgain };
}

const touchNames = new Map<unknown, string>([
  ['touchStart', 'tap'],
  ['touchMove', 'swipe'],
  ['touchEnd', ''],
  ['touchCancel', ''],
]);
/** Empty: it ends what has begun. Undefined: not known. */
export const touchOf = ({ type }: Readonly<Record<string, unknown>>): string | undefined =>
  touchNames.get(type);

/** Keys that write nothing. All others may be part of what is typed. */
const namedKeys =
  /^(?:Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|Page(?:Up|Down)|Arrow(?:Up|Down|Left|Right)|F\d{1,2}|ContextMenu)$/;
const modifierKeys = new Set<unknown>(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'CapsLock']);
const [alt, control, meta, shift] = [1, 2, 4, 8];

/** `type`: a character; `press`: a key with a name; `rest`: it belongs to the one before. */
export type Key = { kind: 'type' } | { kind: 'press'; detail: string } | { kind: 'rest' };

export function keyOf({ type, key, text, modifiers }: Readonly<Record<string, unknown>>): Key {
  if (type === 'keyUp' || modifierKeys.has(key)) return { kind: 'rest' };
  if (type === 'char') return key === undefined ? { kind: 'type' } : { kind: 'rest' };
  const held = typeof modifiers === 'number' ? modifiers : 0;
  const name = typeof key === 'string' ? key : '';
  const isNamed = namedKeys.test(name);
  const withoutText = held & (control | alt | meta);
  // Control and Alt together are how some keyboards write.
  const writes = !isNamed && (withoutText === 0 || withoutText === (control | alt));
  if (writes) return text === undefined && name.length !== 1 ? { kind: 'rest' } : { kind: 'type' };
  const prefixes = [
    held & control ? 'Control' : '',
    held & alt ? 'Alt' : '',
    held & meta ? 'Meta' : '',
    held & shift && isNamed ? 'Shift' : '',
  ];
  const shown = isNamed ? name : /^[\x21-\x7e]$/.test(name) ? name.toUpperCase() : 'a key';
  return { kind: 'press', detail: [...prefixes.filter(Boolean), shown].join('+') };
}
