import { operatingSystems } from '@turnpike/contract/host';
import { operatingSystemNames } from '../parts/figures.ts';

/** Every parameter of a create: its name in the API, how the form asks for it, and what it is sent as. */
export interface Field {
  name: string;
  label: string;
  about: string;
  kind: 'text' | 'integer' | 'flag' | 'choice' | 'json';
  placeholder?: string;
  choices?: readonly { value: string; label: string }[];
}

export const proxyField: Field = {
  name: 'proxy',
  label: 'Proxy',
  about: 'All traffic goes through it. http, https, socks5 or socks5h, with the port written out.',
  kind: 'text',
  placeholder: 'http://user:password@proxy.example:3128',
};

export const browserFields: readonly Field[] = [
  {
    name: 'os',
    label: 'System',
    about: 'The operating system that the browser reports.',
    kind: 'choice',
    choices: operatingSystems.map((os) => ({ value: os, label: operatingSystemNames[os] ?? os })),
  },
  {
    name: 'maxLifetime',
    label: 'Lifetime',
    about: 'Seconds, 120 to 86400. It ends by itself then.',
    kind: 'integer',
    placeholder: '7200',
  },
  {
    name: 'idleTimeout',
    label: 'Idle timeout',
    about: 'Ends the session after this many seconds without use: 10 to 86400.',
    kind: 'integer',
    placeholder: 'never',
  },
  {
    name: 'profile',
    label: 'Saved profile',
    about: 'Starts with the cookies and storage saved under this name.',
    kind: 'text',
    placeholder: 'none',
  },
  {
    name: 'region',
    label: 'Region',
    about: 'Where the browser runs. Your operator names the regions.',
    kind: 'text',
    placeholder: 'anywhere',
  },
  {
    name: 'wait',
    label: 'Wait for a slot',
    about: 'Seconds, up to 60, where no slot is free.',
    kind: 'integer',
    placeholder: '0',
  },
];

export const flagFields: readonly Field[] = [
  { name: 'vnc', label: 'Live view', about: 'A page to see and use the browser.', kind: 'flag' },
  {
    name: 'headless',
    label: 'Headless',
    about: 'Without a display. Live view is not available.',
    kind: 'flag',
  },
  {
    name: 'saveProfile',
    label: 'Save the profile',
    about: 'Saves cookies and storage under the profile’s name when the session is closed.',
    kind: 'flag',
  },
  {
    name: 'force_visibility',
    label: 'Keep tabs visible',
    about: 'Background tabs report visible and focused, and are not slowed down.',
    kind: 'flag',
  },
];

export const profileFields: readonly Field[] = [
  {
    name: 'browser_language',
    label: 'Languages',
    about: 'Accept-Language. Left out, they follow the proxy’s country.',
    kind: 'text',
    placeholder: 'en-US,en;q=0.9',
  },
  {
    name: 'ui_language',
    label: 'UI language',
    about: 'Locale of the browser’s own interface.',
    kind: 'text',
    placeholder: 'en-US',
  },
  {
    name: 'browser_version_min',
    label: 'Minimum Chromium version',
    about: 'Major version that the browser reports.',
    kind: 'integer',
    placeholder: 'as installed',
  },
  {
    name: 'browser_version_max',
    label: 'Maximum Chromium version',
    about: 'Major version that the browser reports.',
    kind: 'integer',
    placeholder: 'as installed',
  },
  {
    name: 'screen_width_min',
    label: 'Minimum screen width',
    about: 'Pixels, up to 7680.',
    kind: 'integer',
    placeholder: 'auto',
  },
  {
    name: 'screen_height_min',
    label: 'Minimum screen height',
    about: 'Pixels, up to 4320.',
    kind: 'integer',
    placeholder: 'auto',
  },
];

export const metadataField: Field = {
  name: 'metadata',
  label: 'Metadata',
  about: 'A JSON object of yours, kept on the session.',
  kind: 'json',
  placeholder: '{ "job": 42 }',
};

export const allFields: readonly Field[] = [
  proxyField,
  ...browserFields,
  ...flagFields,
  ...profileFields,
  metadataField,
];

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
      return [[name, kind === 'json' ? parsed(text) : text]];
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
    const value = params[name];
    if (value === undefined || value === null) return [];
    if (kind === 'flag') return [[name, value === true]];
    if (kind === 'json') return [];
    return [[name, name === 'proxy' ? String(value).replace(':***@', ':@') : String(value)]];
  });
  return { ...initialValues, ...Object.fromEntries(known) };
}
