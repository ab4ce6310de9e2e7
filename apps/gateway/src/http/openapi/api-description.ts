import type { ApiErrorName } from '@turnpike/contract/error-help';
import type { TObject, TSchema } from 'typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Describes the route in the OpenAPI document; false: it is not part of the API. */
    api?: ApiDescription | false;
  }
}

export type Security = 'apiKey' | 'apiKeyInQuery' | 'statsToken' | 'operatorToken';

/** The section of the document that an operation is in. */
export type TagName =
  | 'Sessions'
  | 'Pages'
  | 'Files'
  | 'Account'
  | 'Events'
  | 'Saved profiles'
  | 'Snapshots'
  | 'Extensions'
  | 'Proxies'
  | 'Recordings'
  | 'Statistics'
  | 'Operator'
  | 'Service';

export interface Content {
  schema: TSchema;
  example?: unknown;
}

/** A body of JSON. */
export const json = (schema: TSchema, example: unknown): Record<string, Content> => ({
  'application/json': { schema, example },
});

export interface ApiAnswer {
  description: string;
  headers?: TObject;
  /** By content type. Without it the answer is JSON with the route's response schema. */
  content?: Record<string, Content>;
  example?: unknown;
}

export interface ApiDescription {
  /** The name of the operation in generated clients. */
  id: string;
  tag: TagName;
  summary: string;
  description?: string;
  /** Ways to authenticate, any of which will do. Empty: open to anyone. */
  security: readonly Security[];
  params?: TObject;
  query?: TObject;
  headers?: TObject;
  /** By content type. A route that has a body requires it. */
  body?: Record<string, Content>;
  /** By status. Errors, and answers that every route has, are added. */
  answers: Record<number, ApiAnswer>;
  errors: readonly ApiErrorName[];
}
