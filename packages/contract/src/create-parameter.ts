/** What the table of create parameters says of each, and how to tell people. */

/** Where a parameter may be given. */
export type Place =
  /** The query of GET /connect. */
  | 'query'
  /** The body of POST /api/browser/create: at its top, or in `browserParams`. */
  | 'body'
  /** The options of the Node and Python clients and of `turnpike open`, and the dashboard's form. */
  | 'client'
  /** The MCP tool open_session. */
  | 'agent';

interface Common {
  /** Its older name, which works in its place. See `firstName`. */
  alias?: string;
  where: readonly Place[];
  /** The label of its form field. */
  label: string;
  /** One line of plain text for people, without a full stop. */
  help: string;
  /** Sentences in Markdown that the API reference adds. */
  more?: string;
  /** What happens without it, where `default` has no value for that. */
  absent?: string;
  example?: string;
  /** Goes to the host, as a member of `BrowserParams`. */
  host?: true;
  /** Describes the device that the session claims to be. */
  device?: true;
  /** The page in docs/ that says more. */
  page?: string;
}

/** On or off; only `true` turns it on. With a default it is always there after parsing, else only when true. */
export interface FlagParameter extends Common {
  kind: 'flag';
  default?: false;
}

export interface IntegerParameter extends Common {
  kind: 'integer';
  /** What it counts. */
  unit: string;
  min?: number;
  max?: number;
  /** What happens to numbers out of range. Default: they are refused. */
  outOfRange?: 'clamped';
  /** Numbers that count as not given. */
  notGiven?: 'zero' | 'zero or less';
  /** The word `auto` counts as not given. */
  auto?: true;
  default?: number;
}

/** One word of a few. */
export interface ChoiceParameter extends Common {
  kind: 'choice';
  choices: readonly string[];
  default?: string;
}

export interface TextParameter extends Common {
  kind: 'text';
  /** What the text is, in one word. */
  unit: string;
  pattern?: RegExp;
  maxLength?: number;
  /** For what a pattern in the API reference does not say. */
  format?: 'proxy' | 'languages';
  /** The word `auto` counts as not given. */
  auto?: true;
  /** What to say to a text that does not fit; begins with "must". */
  rule?: string;
}

/** Several words or patterns: a JSON array, or one text with commas. */
export interface ListParameter extends Common {
  kind: 'list';
  /** What each item is, in one word. */
  unit: string;
  /** That every item fits. */
  pattern: RegExp;
  maxItems: number;
  /** The sum over all items, with a comma between them. */
  maxBytes?: number;
  /** For what a pattern does not say: host names, addresses, and `*.` with a name, each in its normal form. */
  format?: 'hosts';
  /** What to say to a list that does not fit; begins with "must". */
  rule: string;
}

/** A JSON object. */
export interface ObjectParameter extends Common {
  kind: 'object';
  maxBytes: number;
}

export type CreateParameter =
  | FlagParameter
  | IntegerParameter
  | ChoiceParameter
  | TextParameter
  | ListParameter
  | ObjectParameter;

/** `from 120 to 86400` or `at most 7680`; undefined means any value. */
export function rangeOf({ min, max }: { min?: number; max?: number }): string | undefined {
  if (min === undefined) return max === undefined ? undefined : `at most ${max}`;
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
}

/** The help of a parameter with its range: `Seconds to wait for a free slot or seat, from 0 to 60`. */
export function helpWithRange(parameter: CreateParameter): string {
  const range = parameter.kind === 'integer' ? rangeOf(parameter) : undefined;
  return range ? `${parameter.help}, ${range}` : parameter.help;
}

/** What holds without the parameter, for people: `7200`, `never`; undefined if there is nothing to say. */
export function defaultText(parameter: CreateParameter): string | undefined {
  if (parameter.absent !== undefined) return parameter.absent;
  if ('default' in parameter) return String(parameter.default);
  if (parameter.kind === 'flag') return 'false';
  return 'auto' in parameter ? 'auto' : undefined;
}
