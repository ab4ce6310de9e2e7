import type { AnswerOf, BodyOf, ParamsOf, QueryOf, RouteMap } from '@turnpike/contract/dashboard/routes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExactNumber } from '../store/exact-json.ts';
import { sendExactly } from './answers/send-exactly.ts';
import { parseBody } from './parse-with.ts';
import type { RouteOptions, Routes } from './routes.ts';

/** A request whose params and query have the names that the map gives them. The values are still to be checked. */
type TypedRequest<Key extends string, Route> = FastifyRequest<{
  Params: ParamsOf<Key>;
  Querystring: { readonly [Name in keyof QueryOf<Route>]?: unknown };
}>;

/** `readBody` checks the body against the map's schema. */
type Handler<Key extends string, Route, Answer> = (
  request: TypedRequest<Key, Route>,
  reply: FastifyReply,
  readBody: () => BodyOf<Route>,
) => Promise<Answer>;

/** Any number may have more digits than JavaScript's. */
type Exact<T> = T extends number
  ? T | ExactNumber
  : T extends object
    ? { [Key in keyof T]: Exact<T[Key]> }
    : T;

export interface TypedRoutes<Map extends RouteMap> {
  /** Answers what the handler returns, which must be what the map says. */
  answer<Key extends keyof Map & string>(
    key: Key,
    options: RouteOptions,
    handler: Handler<Key, Map[Key], AnswerOf<Map[Key]>>,
  ): void;
  /** The same for answers with exact numbers, which a serializer made from the schema would round. */
  answerExactly<Key extends keyof Map & string>(
    key: Key,
    options: RouteOptions,
    handler: Handler<Key, Map[Key], Exact<AnswerOf<Map[Key]>>>,
  ): void;
  /** For downloads and answers that are passed on: the handler sends the reply. */
  send<Key extends keyof Map & string>(
    key: Key,
    options: RouteOptions,
    handler: Handler<Key, Map[Key], FastifyReply>,
  ): void;
}

/** Registers routes of the map below the prefix. A handler that disagrees with the map does not compile. */
export function typedRoutes<Map extends RouteMap>(app: Routes, map: Map, prefix = ''): TypedRoutes<Map> {
  type AnyHandler = Handler<string, unknown, unknown>;

  function register(key: string, options: RouteOptions, handler: AnyHandler): void {
    const [method = '', path] = key.split(' ');
    const { body } = map[key] ?? {};
    app.route({
      ...options,
      method,
      url: `${prefix}${path}`,
      handler: (request, reply) =>
        handler(request as never, reply, () => (body ? parseBody(request, body) : undefined) as never),
    });
  }

  return {
    answer: (key, options, handler) =>
      register(
        key,
        { ...options, schema: { response: { 200: map[key]?.answer } } },
        handler as unknown as AnyHandler,
      ),
    answerExactly: (key, options, handler) =>
      register(key, options, async (request, reply, readBody) =>
        sendExactly(reply, (await (handler as unknown as AnyHandler)(request, reply, readBody)) as object),
      ),
    send: (key, options, handler) => register(key, options, handler as unknown as AnyHandler),
  };
}
