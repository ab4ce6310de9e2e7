import type { ApiErrorName } from '@turnpike/contract/error-help';
import type { TObject, TSchema } from 'typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the OpenAPI document says of the route; false: it is not part of the API. */
    api?: ApiDescription | false;
  }
}

export type Security = 'apiKey' | 'apiKeyInQuery' | 'statsToken' | 'operatorToken';

/** Where an operation stands in the document. */
export type TagName =
  | 'Sessions'
  | 'Files'
  | 'Account'
  | 'Events'
  | 'Saved profiles'
  | 'Statistics'
  | 'Operator'
  | 'Service';

export interface Content {
  schema: TSchema;
  example?: unknown;
}

export interface ApiAnswer {
  description: string;
  headers?: TObject;
  /** By content type. Without it the answer is JSON by the route's own response schema. */
  content?: Record<string, Content>;
  example?: unknown;
}

export interface ApiDescription {
  /** Names the operation in generated clients. */
  id: string;
  tag: TagName;
  summary: string;
  description?: string;
  /** One of these; none: open to anyone. */
  security: readonly Security[];
  params?: TObject;
  query?: TObject;
  headers?: TObject;
  body?: { required: boolean; content: Record<string, Content> };
  /** By status; what every route may answer, and errors, need not be in it. */
  answers: Record<number, ApiAnswer>;
  errors: readonly ApiErrorName[];
}
