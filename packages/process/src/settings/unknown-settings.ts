import { editDistance } from '../edit-distance.ts';
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
