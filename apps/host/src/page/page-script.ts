import { readdirSync, readFileSync } from 'node:fs';
import { withoutTypes } from '@turnpike/process/without-types';

const directory = new URL('./in-page/', import.meta.url);

/** The functions of `in-page/`, without their types. */
const library = readdirSync(directory)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => withoutTypes(readFileSync(new URL(name, directory), 'utf8')))
  .join('\n');

/** Text that is part of an expression as it is. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Writes the expression that calls one of them. */
export function callInPage(name: string, ...values: unknown[]): string {
  const written = values.map((value) =>
    value instanceof Code ? `(${value.text})` : (JSON.stringify(value) ?? 'undefined'),
  );
  return `(() => {'use strict';\n${library}\nreturn ${name}(${written.join(', ')});})()`;
}

/**
 * Writes the expression that waits until a caller's function, or expression, is true in the page's own world. Resolves
 * with whether it was in time.
 */
export function waitInPage(fn: string, intervalMs: number, timeoutMs: number): string {
  // A line of its own: it may end in a comment.
  const value = `(\n${fn.trim().replace(/;$/, '')}\n)`;
  return `(async () => {
  const endsAt = performance.now() + ${timeoutMs};
  for (;;) {
    const value = ${value};
    if (await (typeof value === 'function' ? value() : value)) return 'true';
    if (performance.now() >= endsAt) return 'late';
    await new Promise((resolve) => setTimeout(resolve, ${intervalMs}));
  }
})()`;
}
