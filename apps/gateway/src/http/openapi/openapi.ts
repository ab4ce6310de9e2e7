import type { FastifyContextConfig, RouteOptions } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { ApiAnswer, ApiDescription, Content } from './api-description.ts';
import { commonErrors, errorAnswers } from './openapi-errors.ts';
import { components, info, securitySchemes, tags } from './openapi-parts.ts';

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Answer>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  deprecated?: boolean;
  schema: JsonSchema;
}

export interface Answer {
  description: string;
  headers?: Record<string, { description?: string; required?: boolean; schema: JsonSchema }>;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema: JsonSchema;
  example?: unknown;
}

export interface JsonSchema {
  [keyword: string]: unknown;
}

/** A route as it was registered. */
export interface ApiRoute {
  method: string;
  url: string;
  schema: RouteOptions['schema'];
  config: FastifyContextConfig;
}

/** Builds the API's document from what the routes say of themselves. */
export function openApiDocument(routes: readonly ApiRoute[]): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const { api } = route.config;
    if (!api) continue;
    const path = documentPath(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(api, route) };
  }
  const named = Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [name, plain(schema, schema)]),
  );
  return { openapi: '3.1.0', info, tags, paths, components: { schemas: named, securitySchemes } };
}

/** Lists routes that neither describe themselves nor say that they are not part of the API. */
export const undescribedRoutes = (routes: readonly ApiRoute[]): string[] =>
  routes.filter(({ config }) => config.api === undefined).map(({ method, url }) => `${method} ${url}`);

/** Turns `/api/browser/:id/status` into `/api/browser/{id}/status`. */
export const documentPath = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}');

function operation(api: ApiDescription, { schema, config }: ApiRoute): Operation {
  const parameters = [
    ...parametersIn('path', api.params),
    ...parametersIn('query', api.query),
    ...parametersIn('header', api.headers),
  ];
  const own = (schema?.response as Record<number, TSchema> | undefined) ?? {};
  return {
    operationId: api.id,
    tags: [api.tag],
    summary: api.summary,
    ...(api.description ? { description: api.description } : {}),
    security: api.security.map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(api.body ? { requestBody: { required: true, content: contentOf(api.body) } } : {}),
    responses: {
      ...errorAnswers([...commonErrors(api.security), ...api.errors], config),
      ...Object.fromEntries(
        Object.entries(api.answers).map(([status, given]) => [status, answer(given, own[Number(status)])]),
      ),
    } as Record<string, Answer>,
  };
}

function parametersIn(place: Parameter['in'], schema: TObject | undefined): Parameter[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, deprecated, ...rest } = plain(property) as JsonSchema & {
      description?: string;
      deprecated?: boolean;
    };
    return {
      name,
      in: place,
      required: schema?.required?.includes(name) ?? false,
      ...(description ? { description } : {}),
      ...(deprecated ? { deprecated } : {}),
      schema: rest,
    };
  });
}

function answer({ description, headers, content, example }: ApiAnswer, own: TSchema | undefined): Answer {
  const body = content ?? (own ? { 'application/json': { schema: own, example } } : undefined);
  return {
    description,
    ...(headers ? { headers: headersOf(headers) } : {}),
    ...(body ? { content: contentOf(body) } : {}),
  };
}

function headersOf(headers: TObject): NonNullable<Answer['headers']> {
  return Object.fromEntries(
    parametersIn('header', headers).map(({ name, in: _place, ...header }) => [name, header]),
  );
}

const contentOf = (content: Record<string, Content>): Record<string, MediaType> =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, example }]) => [
      type,
      { schema: plain(schema), ...(example === undefined ? {} : { example }) },
    ]),
  );

const names = new Map<unknown, string>(Object.entries(components).map(([name, schema]) => [schema, name]));

/** Turns a schema into JSON, with references to the named ones. `whole` is written out. */
function plain(schema: TSchema, whole?: TSchema): JsonSchema {
  const text = JSON.stringify(schema, (_key, value: unknown) => {
    const name = value === whole ? undefined : names.get(value);
    return name ? { $ref: `#/components/schemas/${name}` } : value;
  });
  return JSON.parse(text);
}
