import { ApiFailure } from '../api/request.ts';

/** What the gateway said about one field, to be shown beside it. */
export function failureAt(error: Error | null, field: string): string | undefined {
  return error instanceof ApiFailure && error.field === field ? error.message : undefined;
}

/** What it said about none of the fields that the form shows. */
export function otherFailure(error: Error | null, fields: readonly string[]): Error | undefined {
  if (!error) return undefined;
  const shown = error instanceof ApiFailure && error.field !== undefined && fields.includes(error.field);
  return shown ? undefined : error;
}
