import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from '@turnpike/contract/recording';
import type { SecretSet } from './secret-set.ts';

/** What is looked through before others have their turn, in characters: less than a millisecond. */
const maxAtOnce = 2 ** 16;

/**
 * Returns the lines as text, without secrets. They are looked for at the last moment: some are known only after an event
 * that has them.
 */
export async function scrubLines(lines: readonly string[], secrets: SecretSet): Promise<Buffer> {
  const parts: Buffer[] = [];
  let from = 0;
  let characters = 0;
  for (const [at, line] of lines.entries()) {
    characters += line.length;
    if (characters < maxAtOnce && at < lines.length - 1) continue;
    const scrubbed = lines.slice(from, at + 1).map((one) => `${scrubLine(one, secrets)}\n`);
    parts.push(Buffer.from(scrubbed.join('')));
    from = at + 1;
    characters = 0;
    if (from < lines.length) await nextTurn();
  }
  return Buffer.concat(parts);
}

function scrubLine(line: string, secrets: SecretSet): string {
  if (!secrets.isIn(line)) return line;
  const { t, kind, ...rest } = JSON.parse(line) as RecordedEvent;
  return JSON.stringify({ t, kind, ...scrubMembers(rest, secrets) });
}

/** Members whose values are words of the service's own. */
const ownWords = new Set(['of', 'state', 'action', 'what']);
/** Members whose own members have names from outside. */
const foreignNames = new Set(['headers', 'params', 'result']);

function scrubMembers(members: object, secrets: SecretSet): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (ownWords.has(name)) return [name, value];
      return [name, foreignNames.has(name) ? scrubDeep(value, secrets) : scrubText(value, secrets)];
    }),
  );
}

function scrubText(value: unknown, secrets: SecretSet): unknown {
  return typeof value === 'string' ? secrets.scrub(value) : value;
}

function scrubDeep(value: unknown, secrets: SecretSet): unknown {
  if (Array.isArray(value)) return value.map((item) => scrubDeep(item, secrets));
  if (typeof value !== 'object' || value === null) return scrubText(value, secrets);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [secrets.scrub(name), scrubDeep(member, secrets)]),
  );
}
