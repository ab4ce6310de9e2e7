import type { PageFacts } from '../extracted.ts';

const maxFactCharacters = 2000;

/** The facts as front matter in YAML, or nothing if there are none. */
export function frontMatter(facts: PageFacts, url: string): string {
  const { title, author, published, description, language, canonical, site } = facts;
  const members = { title, author, published, description, url: canonical ?? url, site, language };
  const lines = Object.entries(members).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}: ${yamlString(value)}`],
  );
  return lines.length === 0 ? '' : `---\n${lines.join('\n')}\n---\n\n`;
}

/**
 * A string in YAML. JSON's strings are YAML's too, and no other string is mistaken for a number, a date, a list or a
 * comment. YAML forbids some characters that JSON does not escape.
 */
export function yamlString(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u0084\u0086-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A fact on one line, within limits; or nothing. */
export function fact(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value
    .slice(0, 10 * maxFactCharacters)
    .replace(/\s+/g, ' ')
    .trim();
  return line.slice(0, maxFactCharacters).toWellFormed() || undefined;
}
