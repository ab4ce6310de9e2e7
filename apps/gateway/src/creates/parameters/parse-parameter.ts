import {
  type CreateParameter,
  type IntegerParameter,
  type ListParameter,
  rangeOf,
  type TextParameter,
} from '@turnpike/contract/create-parameter';
import { parseHostPattern } from '@turnpike/tunnel/addresses/host-pattern';
import { ApiError } from '../../http/api-error.ts';

export const malformed = (field: string, rule: string) =>
  new ApiError('malformedParams', { because: `${field} ${rule}`, field });

/**
 * The value of one parameter of a create, from a query (text, or a list of texts where it was given twice) or a JSON
 * body. Returns undefined if it was not given and has no default. Throws when it breaks the table's rule.
 */
export function parseParameter(name: string, parameter: CreateParameter, value: unknown): unknown {
  if (parameter.kind === 'flag') return isTrue(value) || parameter.default;
  const given = parameter.kind === 'list' ? (value ?? undefined) : single(name, value);
  const parsed = given === undefined ? undefined : parseGiven(name, parameter, given);
  return parsed === undefined && 'default' in parameter ? parameter.default : parsed;
}

/** Only `true` enables; anything else is false. */
const isTrue = (value: unknown): boolean => value === true || value === 'true';

/** JSON null counts as not given. */
function single(name: string, value: unknown): unknown {
  if (Array.isArray(value)) throw malformed(name, 'must be given once');
  return value ?? undefined;
}

function parseGiven(
  name: string,
  parameter: Exclude<CreateParameter, { kind: 'flag' }>,
  value: unknown,
): unknown {
  if ('auto' in parameter && value === 'auto') return undefined;
  switch (parameter.kind) {
    case 'integer':
      return parseInteger(name, parameter, value);
    case 'choice':
      if (typeof value === 'string' && parameter.choices.includes(value)) return value;
      throw malformed(name, `must be one of ${parameter.choices.join(', ')}`);
    case 'text':
      return parseText(name, parameter, value);
    case 'list':
      return parseList(name, parameter, value);
    case 'object':
      return value;
  }
}

function parseInteger(name: string, parameter: IntegerParameter, value: unknown): number | undefined {
  const { min = -Infinity, max = Infinity, outOfRange, notGiven } = parameter;
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !(Number.isInteger(number) || Math.abs(number) === Infinity)) {
    throw malformed(name, 'must be an integer');
  }
  if (notGiven === 'zero' ? number === 0 : notGiven === 'zero or less' && number <= 0) return undefined;
  if (outOfRange === 'clamped') return Math.min(Math.max(number, min), max);
  if (number < min || number > max) throw malformed(name, `must be ${rangeOf(parameter)}`);
  return number;
}

const languageRange = String.raw`(?:\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?: ?; ?q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?`;
const languageList = new RegExp(`^${languageRange}(?: ?, ?${languageRange})*$`);

function parseText(name: string, parameter: TextParameter, value: unknown): string {
  const { maxLength = Infinity, format, rule = 'must be a text' } = parameter;
  const pattern = format === 'languages' ? languageList : parameter.pattern;
  if (typeof value !== 'string' || value.length > maxLength || pattern?.test(value) === false) {
    throw malformed(name, rule);
  }
  return value;
}

/** A JSON array, one text with commas, or both, as where a query names it twice. An empty list counts as not given. */
function parseList(name: string, parameter: ListParameter, value: unknown): string[] | undefined {
  const { pattern, maxItems, maxBytes = Infinity, format, rule } = parameter;
  const items = [value].flat().flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]));
  const words = items
    .map((item) => (typeof item === 'string' ? item.trim() : item))
    .filter((item) => item !== '');
  if (words.length > maxItems || !words.every((word) => typeof word === 'string' && pattern.test(word))) {
    throw malformed(name, rule);
  }
  if (words.length === 0) return undefined;
  const list = format === 'hosts' ? parseHosts(name, words as string[]) : (words as string[]);
  if (Buffer.byteLength(list.join()) > maxBytes) throw malformed(name, rule);
  return list;
}

/** Each host once, in its normal form. */
function parseHosts(name: string, texts: readonly string[]): string[] {
  const hosts = texts.map((text) => {
    const host = parseHostPattern(text);
    if (host !== undefined) return host;
    const rule = 'must be host names such as example.com or *.example.com, without a scheme, port or path';
    throw malformed(name, `${rule}; ${JSON.stringify(text.slice(0, 80))} is not one`);
  });
  return [...new Set(hosts)];
}
