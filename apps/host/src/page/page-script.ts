import { readdirSync, readFileSync } from 'node:fs';
import { withoutTypes } from '@turnpike/process/without-types';

const directory = new URL('./in-page/', import.meta.url);

/** The functions of `in-page/`, without their types. */
const library = readdirSync(directory)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => withoutTypes(readFileSync(new URL(name, directory), 'utf8')))
  .join('\n');

/** Writes the expression that calls one of them. */
export function callInPage(name: string, ...values: unknown[]): string {
  const written = values.map((value) => JSON.stringify(value) ?? 'undefined').join(', ');
  return `(() => {'use strict';\n${library}\nreturn ${name}(${written});})()`;
}
