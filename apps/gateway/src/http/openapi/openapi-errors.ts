import { type ApiErrorName, type ErrorHelp, errorHelp } from '@turnpike/contract/error-help';
import { type ErrorSpec, errors } from '@turnpike/contract/errors';
import type { FastifyContextConfig } from 'fastify';
import { Type } from 'typebox';
import type { Security } from './api-description.ts';

/** How the errors of the catalogue appear in the document. Keep it in step with `error-mapper.ts`. */

const ofAuthentication: readonly ApiErrorName[] = ['missingKey', 'invalidKey', 'authenticationUnavailable'];
const bySecurity: Record<Security, readonly ApiErrorName[]> = {
  apiKey: ofAuthentication,
  apiKeyInQuery: ofAuthentication,
  statsToken: ['missingToken', 'invalidToken', 'accountSuspended', 'statsRateLimit'],
  operatorToken: ['missingOperatorToken', 'invalidOperatorToken'],
};

/** Errors that an operation may answer besides its own. */
export const commonErrors = (security: readonly Security[]): ApiErrorName[] => [
  ...security.flatMap((scheme) => bySecurity[scheme]),
  'internal',
  'storeUnavailable',
];

const spec = (name: ApiErrorName): ErrorSpec => errors[name];
const help = (name: ApiErrorName): ErrorHelp => errorHelp[name];

/** The component name of an error's JSON, for example `RateLimit`. */
const componentOf = (name: ApiErrorName): string => `${name[0]?.toUpperCase()}${name.slice(1)}Error`;

function jsonOf(name: ApiErrorName): Type.TSchema {
  const { code, message } = spec(name);
  const { codes } = help(name);
  return Type.Object(
    {
      ...(code ? { code: codes ? Type.String({ pattern: codes }) : Type.Literal(code) } : {}),
      error: Type.String({ examples: [message] }),
      detail: Type.Optional(Type.String({ description: 'The broken rule or the cause, for people' })),
      ...help(name).members,
    },
    { description: help(name).help },
  );
}

export const Failure = Type.Object(
  {
    status: Type.Literal('FAIL'),
    date: Type.String({ description: 'HTTP date' }),
    error: Type.String({ description: 'For people; check `status` and the HTTP status' }),
  },
  { description: 'Every failure of interface B' },
);

export const errorComponents = (): Record<string, Type.TSchema> =>
  Object.fromEntries(
    (Object.keys(errorHelp) as ApiErrorName[])
      .filter((name) => !statsOnly.has(name))
      .map((name) => [componentOf(name), jsonOf(name)]),
  );
const statsOnly = new Set<ApiErrorName>([
  'missingToken',
  'invalidToken',
  'accountSuspended',
  'statsRateLimit',
]);

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Builds the answers for an operation's errors, by status. */
export function errorAnswers(
  names: readonly ApiErrorName[],
  config: FastifyContextConfig,
): Record<string, object> {
  // What opens browsers says what it does not use of a request, also where it refuses it.
  const warns = names.includes('capacity');
  const byStatus = Map.groupBy(new Set(names), (name) => spec(name).status);
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, members]) => [
      status,
      {
        description: members.map(describe).join('\n\n'),
        ...errorHeaders(members, warns),
        content: errorContent(members, config),
      },
    ]),
  );
}

function describe(name: ApiErrorName): string {
  const { code, message } = spec(name);
  return `${code ? `\`${code}\`` : message}: ${help(name).help}`;
}

function errorContent(names: readonly ApiErrorName[], config: FastifyContextConfig): Record<string, object> {
  if (config.envelope) return { 'application/json': { schema: reference('Failure') } };
  const asText = names.filter((name) => config.plainTextErrors && !spec(name).early);
  const asJson = names.filter((name) => !asText.includes(name));
  return {
    ...(asJson.length > 0 ? { 'application/json': { schema: anyOf(asJson.map(componentOf)) } } : {}),
    ...(asText.length > 0
      ? {
          'text/plain': {
            schema: { type: 'string', description: 'The message, for people; branch on `x-error-code`' },
            example: spec(asText[0] as ApiErrorName).message,
          },
        }
      : {}),
  };
}

const anyOf = (names: readonly string[]) =>
  names.length === 1 ? reference(names[0] ?? '') : { anyOf: names.map(reference) };

function errorHeaders(names: readonly ApiErrorName[], warns: boolean): { headers?: Record<string, object> } {
  const codes = names.map((name) => (spec(name).early ? undefined : spec(name).code));
  const retries = names.filter(
    (name) => spec(name).retryAfterSeconds !== undefined || name === 'statsRateLimit',
  );
  const headers: Record<string, object> = {};
  const patterns = names.flatMap((name) => help(name).codes ?? []);
  if (codes.some(Boolean)) {
    const known = { enum: [...new Set(codes.filter((code) => code !== undefined))] };
    headers['x-error-code'] = {
      description: 'The code to branch on',
      required: codes.every(Boolean),
      schema: patterns.length === 0 ? known : { anyOf: [known, ...patterns.map((pattern) => ({ pattern }))] },
    };
  }
  if (warns)
    headers['x-turnpike-warnings'] = {
      description: 'What the request asks for and does not get: a JSON array of sentences',
      required: false,
      schema: { type: 'string' },
    };
  if (retries.length > 0) {
    headers['retry-after'] = {
      description: 'Seconds to wait',
      required: retries.length === names.length,
      schema: { type: 'integer', minimum: 1 },
    };
  }
  return Object.keys(headers).length > 0 ? { headers } : {};
}
