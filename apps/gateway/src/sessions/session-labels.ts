import { sessionNamePattern } from '@turnpike/contract/ids';
import type { SessionLabels } from '@turnpike/contract/session';
import { badRequest } from '../http/api-error.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SessionRow } from '../store/tables.ts';

/** What people call a session. */

type LabelColumns = Pick<SessionRow, 'name' | 'named' | 'tags'>;

/** The columns of a name; without one, the text `name` of the metadata stands for it. */
export function nameColumns(
  name: string | null | undefined,
  metadata: Readonly<Record<string, unknown>>,
): Pick<LabelColumns, 'name' | 'named'> {
  if (name !== null && name !== undefined) return { name, named: 1 };
  const { name: other } = metadata;
  return { name: typeof other === 'string' && sessionNamePattern.test(other) ? other : null, named: 0 };
}

/** Each tag once, in the order given. */
export const tagColumn = (tags: readonly string[] | null | undefined): string | null =>
  tags && tags.length > 0 ? JSON.stringify([...new Set(tags)]) : null;

/** Labels as they were given: a client that gives none sees none. */
export const givenLabels = ({ name, named, tags }: LabelColumns): { name?: string; tags?: string[] } =>
  labels(named === 1 ? name : null, tags);

/** Labels for people: with the name that the metadata has. */
export const shownLabels = ({ name, tags }: LabelColumns): { name?: string; tags?: string[] } =>
  labels(name, tags);

const labels = (name: string | null, tags: string | null) => ({
  ...(name === null ? {} : { name }),
  ...(tags === null ? {} : { tags: readStoredJson(tags) as unknown as string[] }),
});

/** The columns that a change sets; undefined if it changes none. */
export function changedLabels(
  { metadata }: Pick<SessionRow, 'metadata'>,
  { name, tags }: SessionLabels,
): Partial<LabelColumns> | undefined {
  if (name === undefined && tags === undefined) return undefined;
  if (typeof name === 'string' && !sessionNamePattern.test(name))
    throw badRequest('name must be 1 to 200 characters without control characters', { field: 'name' });
  return {
    ...(name === undefined ? {} : nameColumns(name, readStoredJson(metadata))),
    ...(tags === undefined ? {} : { tags: tagColumn(tags) }),
  };
}
