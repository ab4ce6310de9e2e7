import type { MadeLink } from '@turnpike/contract/dashboard';

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

/** It is shown this once. */
export function printLink(link: MadeLink, json = false): void {
  if (json) printJson(link);
  else console.log(link.url);
}
