import { createParameters, parametersIn } from '@turnpike/contract/create-parameters';
import { editDistance } from '@turnpike/process/edit-distance';
import { isObject } from '../../http/json-body.ts';

/** More than a person makes by mistake. What is beyond is not looked at. */
const maxUnknown = 10;
/** Longer names are shown cut, and are near no name of ours. */
const maxNameLength = 40;

const spelt = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

const ownNames: readonly string[] = parametersIn('body').flatMap(([name, { alias }]) =>
  alias === undefined ? [name] : [name, alias],
);
/** Members that a create has beside its parameters: the key in a query, and the group of the Python client's. */
const otherMembers = ['token', 'browserParams'];
const known = new Set([...ownNames, ...otherMembers]);

/**
 * Says what a create asks for and does not get: names that nobody knows, and values that are changed or ignored. The
 * contract lets them pass. `others` are names that the call has beside those of a create.
 */
export function createWarnings(
  sent: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): string[] {
  const { browserParams } = sent;
  const nested = isObject(browserParams) ? browserParams : {};
  const values = { ...nested, ...sent };
  const unknown: string[] = [];
  for (const name of Object.keys(values)) {
    if (known.has(name) || others.includes(name)) continue;
    if (unknown.length === maxUnknown) break;
    unknown.push(unknownName(name, others));
  }
  return [...unknown, ...valueWarnings(values)];
}

function unknownName(name: string, others: readonly string[]): string {
  if (name.length > maxNameLength) return `${name.slice(0, maxNameLength)}…: unknown parameter`;
  const nearest = nearestName(name, [...ownNames, ...others]);
  return `${name}: unknown parameter${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/** The name that was meant, unless too much differs. Hyphens, underscores and capitals do not count. */
function nearestName(name: string, names: readonly string[]): string | undefined {
  const asked = spelt(name);
  const limit = asked.length < 4 ? 0 : asked.length < 8 ? 1 : 2;
  const [best] = names
    // Those of another length are too far, and comparing is what takes time.
    .filter((each) => Math.abs(spelt(each).length - asked.length) <= limit)
    .map((each) => ({ each, distance: editDistance(asked, spelt(each)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return best?.each;
}

function valueWarnings(values: Readonly<Record<string, unknown>>): string[] {
  const warnings: string[] = [];
  for (const [name, { kind }] of parametersIn('body')) {
    const value = values[name];
    if (kind === 'flag' && typeof value === 'string' && !['true', 'false', ''].includes(value))
      warnings.push(`${name}: only true turns it on; ${shown(value)} counts as false`);
  }
  const { min, max } = createParameters.maxLifetime;
  const lifetime = Number(values['maxLifetime'] ?? Number.NaN);
  if (Number.isInteger(lifetime) && lifetime !== 0 && (lifetime < min || lifetime > max)) {
    const used = lifetime < min ? min : max;
    warnings.push(`maxLifetime: ${lifetime} is not from ${min} to ${max}; ${used} is used`);
  }
  if (isOn(values['vnc']) && isOn(values['headless']))
    warnings.push('vnc: a headless session has no live view; leave headless out to get one');
  return warnings;
}

const isOn = (value: unknown): boolean => value === true || value === 'true';
const shown = (value: string): string => JSON.stringify(value.slice(0, maxNameLength));
