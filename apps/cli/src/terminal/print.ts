import type { CreatedLink } from '@turnpike/contract/dashboard/people';
import { writeJson } from 'turnpike-client';

export function printJson(value: unknown): void {
  console.log(writeJson(value, 2));
}

/** Prints a link, which is shown only once. */
export function printLink(link: CreatedLink, json = false): void {
  if (json) printJson(link);
  else console.log(link.url);
}
