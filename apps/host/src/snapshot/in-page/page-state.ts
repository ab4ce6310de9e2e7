// biome-ignore-all lint/correctness/noUnusedVariables: called by name, see call-in-page.ts.

/** Runs in a world of its own in a page's main frame, where the page's scripts can change nothing. */

type Pairs = [key: string, value: string][];

/** A field as it is found again: only one element of the page may have all of this. */
interface FieldState {
  tag: string;
  type: string;
  id: string;
  name: string;
  value: string | boolean | number[];
}

interface PageState {
  origin: string;
  /** Undefined if it was not asked for. */
  local?: Pairs;
  session: Pairs;
  scroll: [x: number, y: number];
  fields: FieldState[];
  /** What the page's origin has been allowed. */
  allowed: string[];
  isVisible: boolean;
  /** Whether something was too large to be read. */
  isCut: boolean;
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const maxFields = 500;
const maxFieldChars = 200_000;
const unreadTypes = ['password', 'file', 'hidden', 'submit', 'button', 'reset', 'image'];
/** Permissions that nobody has unless they were given. */
const permissions = [
  ...['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi'],
  ...['window-management', 'local-fonts', 'idle-detection'],
];

async function readPageState(skipsLocal: readonly string[], maxChars: number): Promise<string> {
  let left = maxChars;
  let isCut = false;
  const read = (name: 'localStorage' | 'sessionStorage'): Pairs => {
    try {
      const storage = window[name];
      const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
      const pairs = keys.map((key): Pairs[number] => [key, storage.getItem(key) ?? '']);
      const chars = pairs.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
      if (chars > left) {
        isCut = true;
        return [];
      }
      left -= chars;
      return pairs;
    } catch {
      return []; // It has no origin of its own, or may not.
    }
  };
  const origin = window.origin;
  const state: PageState = {
    origin,
    ...(!skipsLocal.includes(origin) && { local: read('localStorage') }),
    session: read('sessionStorage'),
    scroll: [Math.round(window.scrollX), Math.round(window.scrollY)],
    fields: readFields(),
    allowed: await readPermissions(),
    isVisible: document.visibilityState === 'visible',
    isCut,
  };
  return JSON.stringify(state);
}

function fieldsOf(root: Document): Field[] {
  const all = [...root.querySelectorAll<Field>('input, textarea, select')].slice(0, maxFields * 4);
  return all.filter(
    (field) =>
      !unreadTypes.includes(field.type) &&
      !/^(?:off$|cc-|one-time-code)/.test(field.autocomplete) &&
      (field.id !== '' || field.name !== ''),
  );
}

/** What a person, or a client, has changed. */
function readFields(): FieldState[] {
  const states: FieldState[] = [];
  let left = maxFieldChars;
  for (const field of fieldsOf(document)) {
    const value = changedValue(field);
    if (value === undefined) continue;
    const chars = JSON.stringify(value).length + field.id.length + field.name.length;
    if (chars > left) continue;
    left -= chars;
    states.push({ tag: field.tagName, type: field.type, id: field.id, name: field.name, value });
    if (states.length === maxFields) break;
  }
  return states;
}

function changedValue(field: Field): FieldState['value'] | undefined {
  if (field instanceof HTMLSelectElement) {
    const options = [...field.options].slice(0, 1000);
    const chosen = options.flatMap((option, index) => (option.selected ? [index] : []));
    const isAsWritten = options.every((option) => option.selected === option.defaultSelected);
    return isAsWritten ? undefined : chosen;
  }
  if (field.type === 'checkbox' || field.type === 'radio') {
    const { checked, defaultChecked } = field as HTMLInputElement;
    return checked === defaultChecked ? undefined : checked;
  }
  return field.value === field.defaultValue ? undefined : field.value;
}

async function readPermissions(): Promise<string[]> {
  const states = await Promise.all(
    permissions.map(async (name) => {
      try {
        return (await navigator.permissions.query({ name: name as PermissionName })).state;
      } catch {
        return 'unknown';
      }
    }),
  );
  return permissions.filter((_, index) => states[index] === 'granted');
}

/** Runs in an empty page of the origin. */
function writeStorage(local: Pairs | undefined, session: Pairs): boolean {
  const write = (storage: Storage, pairs: Pairs): void => {
    storage.clear();
    for (const [key, value] of pairs) storage.setItem(key, value);
  };
  if (local) write(localStorage, local);
  write(sessionStorage, session);
  return true;
}

/** Runs when the page has loaded. It may still become taller. */
async function showAgain(fields: readonly FieldState[], [x, y]: PageState['scroll']): Promise<boolean> {
  for (const state of fields) {
    const [field, another] = fieldsOf(document).filter(
      (one) =>
        one.tagName === state.tag &&
        one.type === state.type &&
        one.id === state.id &&
        one.name === state.name &&
        (one.type !== 'radio' || state.id !== ''),
    );
    if (field && !another) setField(field, state.value);
  }
  for (let tries = 0; tries < 20; tries += 1) {
    window.scrollTo({ left: x, top: y, behavior: 'instant' });
    if (Math.abs(window.scrollY - y) <= 1 && Math.abs(window.scrollX - x) <= 1) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}

function setField(field: Field, value: FieldState['value']): void {
  if (field instanceof HTMLSelectElement && Array.isArray(value)) {
    for (const [index, option] of [...field.options].entries()) option.selected = value.includes(index);
  } else if (typeof value === 'boolean') (field as HTMLInputElement).checked = value;
  else if (typeof value === 'string') field.value = value;
  else return;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}
