import { masked } from './secret-set.ts';

/** A value in a text, and what stands in its place. */
export interface Edit {
  start: number;
  end: number;
  by: string;
}

/** Tells whether the value of a field may not be recorded. */
export type IsSecretField = (name: string, value: string) => boolean;

export const quotedMask = `"${masked}"`;

/** `edits` are in order and do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let changed = '';
  let at = 0;
  for (const { start, end, by } of edits) {
    changed += text.slice(at, start) + by;
    at = end;
  }
  return at === 0 ? text : changed + text.slice(at);
}
