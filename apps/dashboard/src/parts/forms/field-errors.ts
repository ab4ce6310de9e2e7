import { useState } from 'react';
import { ApiFailure } from '../../api/request.ts';

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

export interface FieldErrors {
  at: (field: string) => string | undefined;
  /** An error that is about none of the fields. */
  rest: Error | undefined;
  /** Call when a field changes: its error goes, and the one that is about none of the fields. */
  changed: (field: string) => void;
  /** What a text input needs, besides its label. */
  input: (field: string, value: string, set: (value: string) => void) => TextProps;
}

interface TextProps {
  value: string;
  error: string | undefined;
  onChange: (event: { currentTarget: { value: string } }) => void;
}

/** The errors of a form that was sent. */
export function useFieldErrors(error: Error | null, fields: readonly string[]): FieldErrors {
  const [corrected, setCorrected] = useState<Error | null>(null);
  const current = error === corrected ? null : error;
  const rest = otherFailure(current, fields);
  const at = (field: string) => (fields.includes(field) ? failureAt(current, field) : undefined);
  const changed = (field: string) => {
    if (current && (rest || at(field))) setCorrected(current);
  };
  const input: FieldErrors['input'] = (field, value, set) => ({
    value,
    error: at(field),
    onChange: ({ currentTarget }) => {
      set(currentTarget.value);
      changed(field);
    },
  });
  return { at, rest, changed, input };
}
