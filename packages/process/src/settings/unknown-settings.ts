import { type Environment, SettingError } from '../settings.ts';
import { settings } from './setting-table.ts';

const prefix = 'TURNPIKE_';
/** Variables of the tests, which start services with them. */
const testPrefix = 'TURNPIKE_TEST_';

export interface UnknownSetting {
  name: string;
  /** The setting that it may be a misspelling of. */
  nearest: string | undefined;
}

/** Lists variables that begin like a setting of Turnpike and are none. */
export function unknownSettings(env: Environment): UnknownSetting[] {
  return Object.keys(env)
    .filter(
      (name) => name.startsWith(prefix) && !name.startsWith(testPrefix) && !Object.hasOwn(settings, name),
    )
    .sort()
    .map((name) => ({ name, nearest: nearestSetting(name) }));
}

export const misspelling = ({ name, nearest }: UnknownSetting): string =>
  `${name} is not a setting of Turnpike${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;

/** Refuses to start with a misspelt setting: what it was to change would silently stay at its default. */
export function refuseMisspeltSettings(env: Environment): void {
  const misspelt = unknownSettings(env).find(({ nearest }) => nearest !== undefined);
  if (misspelt) throw new SettingError(misspelt.name, misspelling(misspelt).slice(misspelt.name.length + 1));
}

/** Only a near name: others are of programs that share the environment, such as the links of Kubernetes services. */
function nearestSetting(name: string): string | undefined {
  const text = withoutPrefix(name);
  const limit = text.length < 8 ? 1 : 2;
  const [best] = Object.keys(settings)
    .map((known) => ({ known, distance: editDistance(text, withoutPrefix(known)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return best?.known;
}

const withoutPrefix = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);

/** Counts the letters to add, remove or replace, and the neighbours to swap, that make `a` into `b`. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
