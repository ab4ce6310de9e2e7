/** The reader's own values, by the variable that samples read them from. */
export type Values = { readonly [Name in ValueName]?: string | undefined };
export type ValueName =
  | 'TURNPIKE_URL'
  | 'TURNPIKE_API_KEY'
  | 'TURNPIKE_PROXY'
  | 'CDP_URL'
  | 'WEBDRIVER_URL'
  | 'SESSION_ID';

export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/**
 * Matches a value that needs no quoting: in a shell, inside or outside of quotes, in a string of JavaScript or Python,
 * in JSON. Other values are not filled in. `…` is what a masked value has in place of its secret.
 */
const plain = /^[\w:/.@%+,=~[\]…-]+$/;

const names = 'TURNPIKE_URL|TURNPIKE_API_KEY|TURNPIKE_PROXY|CDP_URL|WEBDRIVER_URL|SESSION_ID';

/** Finds the places of a sample that stand for values which the reader has, and what to write there. */
export function replacements(code: string, language: string, values: Values): Replacement[] {
  const known: Values = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && plain.test(value)),
  );
  const found: Replacement[] = [];
  const each = (pattern: string, write: (match: RegExpExecArray) => string | undefined) => {
    // backtracks: the patterns below, on samples of our own pages.
    for (const match of code.matchAll(new RegExp(pattern, 'g'))) {
      const text = write(match);
      if (text !== undefined) found.push({ start: match.index, end: match.index + match[0].length, text });
    }
  };
  const value = (name = '') => known[name as ValueName];
  const quoted = (quote: string, name = '') => (name in known ? quote + value(name) + quote : undefined);

  each(String.raw`\$(${names})\b|\$\{(${names})\}`, ([, bare, braced]) => value(bare ?? braced));
  each(String.raw`\btp_live_…`, () => value('TURNPIKE_API_KEY'));
  if (/^(js|ts|javascript|typescript)$/.test(language)) {
    each(String.raw`\bprocess\.env\.(${names})\b`, ([, name]) => quoted("'", name));
    // `const { TURNPIKE_URL } = process.env;`
    each(String.raw`(?<=\{[^{}]*\} = )process\.env\b(?!\.)`, () => {
      const members = Object.entries(known).filter(([name]) => name.startsWith('TURNPIKE_'));
      if (members.length === 0) return undefined;
      const lines = members.map(([name, text]) => `  ${name}: '${text}',\n`);
      return `{\n  ...process.env,\n${lines.join('')}}`;
    });
  } else if (/^(py|python)$/.test(language)) {
    each(String.raw`\bos\.environ\["(${names})"\]`, ([, name]) => quoted('"', name));
  } else {
    // `export TURNPIKE_URL=http://127.0.0.1:8080`, `"TURNPIKE_URL": "http://127.0.0.1:8080"`
    each(String.raw`(?<=\b(${names})(?:=|": "))[^\s"$]+`, ([, name]) => value(name));
  }
  return withoutOverlaps(found);
}

/** Writes the values into a sample. */
export function fillIn(code: string, language: string, values: Values): string {
  let filled = code;
  for (const { start, end, text } of replacements(code, language, values).reverse()) {
    filled = filled.slice(0, start) + text + filled.slice(end);
  }
  return filled;
}

/** Returns values as they are shown: without what is secret. */
export function masked(values: Values): Values {
  const { TURNPIKE_API_KEY: key, TURNPIKE_PROXY: proxy } = values;
  return {
    ...values,
    ...(key && { TURNPIKE_API_KEY: `${key.slice(0, 12)}…` }),
    ...(proxy && { TURNPIKE_PROXY: proxy.replace(/:[^:@/]*@/, ':…@') }),
  };
}

/** Tells whether a value can be written into every sample. */
export const canFillIn = (value: string): boolean => plain.test(value);

function withoutOverlaps(found: readonly Replacement[]): Replacement[] {
  const sorted = found.toSorted((a, b) => a.start - b.start);
  return sorted.filter(({ start }, i) => start >= (sorted[i - 1]?.end ?? 0));
}
