import { type CreateParameter, defaultText, helpWithRange } from '@turnpike/contract/create-parameter';
import { firstName, type ParameterName, parametersIn } from '@turnpike/contract/create-parameters';
import { type ProxyName, proxyNames } from '../parts/forms/proxy-values.ts';
import { operatingSystemNames } from '../parts/values/figures.ts';

/** A create parameter: its name in the API, how the form asks for it, and what it is sent as. */
export interface Field {
  name: ParameterName;
  label: string;
  about: string;
  kind: CreateParameter['kind'];
  placeholder?: string;
  choices?: readonly { value: string; label: string }[];
}

function fieldOf([name, parameter]: readonly [ParameterName, CreateParameter]): Field {
  const placeholder = parameter.kind === 'choice' ? undefined : (parameter.example ?? defaultText(parameter));
  return {
    name,
    label: parameter.label,
    about: `${helpWithRange(parameter)}.`,
    kind: parameter.kind,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(parameter.kind === 'choice' && { choices: choicesOf(parameter) }),
  };
}

/** The first one is what holds without the parameter. */
function choicesOf(parameter: Extract<CreateParameter, { kind: 'choice' }>): NonNullable<Field['choices']> {
  const { choices, absent } = parameter;
  const own = choices.map((value) => ({ value, label: operatingSystemNames[value] ?? value }));
  const isNamed = parameter.default !== undefined || absent === undefined || choices.includes(absent);
  return isNamed ? own : [{ value: '', label: absent }, ...own];
}

const parameters = parametersIn('client');
const fieldsWhere = (belongs: (name: string, parameter: CreateParameter) => boolean): Field[] =>
  parameters.filter(([name, parameter]) => belongs(name, parameter)).map(fieldOf);

export const allFields: readonly Field[] = parameters.map(fieldOf);
const isOfProxy = (name: string): boolean => name.startsWith('proxy');
/** What the part that asks for the proxy does not ask for. */
export const proxyFields = fieldsWhere((name) => isOfProxy(name) && !proxyNames.includes(name as ProxyName));
export const deviceFields = fieldsWhere((_, { device }) => device === true);
export const objectFields = fieldsWhere((_, { kind }) => kind === 'object');
export const flagFields = fieldsWhere((_, { kind, device }) => kind === 'flag' && !device);
/** What none of the others has. */
export const browserFields = fieldsWhere(
  (name, { kind, device }) => !isOfProxy(name) && kind !== 'object' && kind !== 'flag' && !device,
);

/** What the form holds: text as typed, flags as booleans. */
export type Values = Readonly<Record<string, string | boolean>>;

export const initialValues: Values = Object.fromEntries(
  allFields.map(({ name, kind, choices }) => [
    name,
    kind === 'flag' ? name === 'vnc' : (choices?.[0]?.value ?? ''),
  ]),
);

/**
 * The body of the create, without what was left out. What cannot be read as its kind is sent as typed: the API
 * refuses it in its own words.
 */
export function bodyOf(values: Values): Record<string, unknown> {
  return Object.fromEntries(
    allFields.flatMap(({ name, kind, choices }): [string, unknown][] => {
      const value = values[name];
      if (kind === 'flag') return value === true ? [[name, true]] : [];
      const text = String(value ?? '').trim();
      if (text === '' || (choices && text === choices[0]?.value)) return [];
      if (kind === 'integer') return [[name, /^-?\d+$/.test(text) ? Number(text) : text]];
      if (kind === 'list') return [[name, text.split(',').map((item) => item.trim())]];
      return [[name, kind === 'object' ? parsed(text) : text]];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The form filled in as an earlier session was opened; its proxy's password is not known any more. */
export function valuesFrom(params: Readonly<Record<string, unknown>>): Values {
  const known = allFields.flatMap(({ name, kind }): [string, string | boolean][] => {
    const value = params[firstName(name)];
    if (value === undefined || value === null) return [];
    if (kind === 'flag') return [[name, value === true]];
    if (kind === 'object') return [];
    return [[name, name === 'proxy' ? String(value).replace(':***@', ':@') : String(value)]];
  });
  return { ...initialValues, ...Object.fromEntries(known) };
}
