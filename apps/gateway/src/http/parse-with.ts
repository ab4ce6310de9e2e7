import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { ApiError } from './api-error.ts';
import { type JsonBody, jsonBody } from './json-body.ts';

const validators = new WeakMap<TSchema, Validator>();

/** Checks a value by a schema. Refuses it with the field and the rule that it breaks. */
export function parseWith<T extends TSchema>(schema: T, value: unknown): Static<T> {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile(schema);
    validators.set(schema, validator);
  }
  // PostgreSQL stores no NUL in a text.
  if (JSON.stringify(value)?.includes('\\u0000')) throw refusal('', 'must not hold a NUL');
  if (validator.Check(value)) return value as Static<T>;
  const [first] = validator.Errors(value);
  const missing =
    first && 'requiredProperties' in first.params ? first.params.requiredProperties[0] : undefined;
  if (missing !== undefined) throw refusal(missing, 'is required');
  throw refusal(first?.instancePath.slice(1) ?? '', first?.message ?? 'is wrong');
}

const refusal = (field: string, rule: string) =>
  new ApiError('badRequest', {
    message: `${field === '' ? 'the request' : field} ${rule}`,
    ...(field === '' ? {} : { field }),
  });

export const parseBody = <T extends TSchema>(request: FastifyRequest, schema: T): Static<T> =>
  parseWith(schema, objectBody(request));

/** The body, which has to be a JSON object. */
export const objectBody = (request: FastifyRequest): Record<string, unknown> => objectIn(jsonBody(request));

export function objectIn(body: JsonBody): Record<string, unknown> {
  if (!body.ok) throw new ApiError('badRequest', { message: body.rule });
  return body.value;
}
