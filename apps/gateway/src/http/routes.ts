import type {
  FastifyContextConfig,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify';
import type { Access } from './authentication.ts';

/** Options of a route, which must say how it knows its caller. */
export type RouteOptions<Types extends RouteGenericInterface = RouteGenericInterface> = RouteShorthandOptions<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Types
> & { config: FastifyContextConfig & Access };

type Register = <Types extends RouteGenericInterface = RouteGenericInterface>(
  url: string,
  options: RouteOptions<Types>,
  handler: RouteHandlerMethod<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    Types
  >,
) => unknown;

/** What features need of the server. A route without `config.auth` does not compile. */
export interface Routes
  extends Record<'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'all', Register>,
    Pick<FastifyInstance, 'addHook' | 'setNotFoundHandler' | 'decorate' | 'openApi'> {
  route(
    options: RouteOptions & { method: string | string[]; url: string; handler: RouteHandlerMethod },
  ): unknown;
}

/** Options of a route that only an account's pages call. */
export const accountPage = { config: { auth: 'cookie', role: 'account', api: false } } as const;

/** The same, with answers that are large or long to make. */
export const largeAccountPage = { config: { ...accountPage.config, isLargeRead: true } } as const;
