import { ApiFailure } from '../api/request.ts';

/** The gateway's error for one field, to be shown beside it. */
export function failureAt(error: Error | null, field: string): string | undefined {
  return error instanceof ApiFailure && error.field === field ? error.message : undefined;
}

/** The gateway's error, unless it is about one of these fields. */
export function otherFailure(error: Error | null, fields: readonly string[]): Error | undefined {
  if (!error) return undefined;
  const shown = error instanceof ApiFailure && error.field !== undefined && fields.includes(error.field);
  return shown ? undefined : error;
}
