import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import type { ApiDescription } from '../http/openapi/api-description.ts';
import type { RouteOptions } from '../http/routes.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { findOperatorToken } from './operator-token-store.ts';

/** A way to authenticate operators: where its routes are, and who may call them. It sets `request.actor`. */
export interface OperatorAuth {
  prefix: string;
  /** Options of a route that is described so in the OpenAPI document, if it is part of the API. */
  options(api: ApiDescription): RouteOptions;
}

const tokenPattern = /^Bearer +(tpop_[0-9a-f]{64}) *$/i;

/** Authenticates the operator's machines, by token. */
export function tokenAuth({ db }: Pick<Gateway, 'db'>): OperatorAuth {
  const onRequest = async (request: FastifyRequest) => {
    const { authorization } = request.headers;
    if (!authorization) throw new ApiError('missingOperatorToken');
    const token = tokenPattern.exec(authorization)?.[1];
    const known = token && (await findOperatorToken(db, hashSecret(token)));
    if (!known) throw new ApiError('invalidOperatorToken');
    request.logFields.operatorToken = known.id;
    request.actor = { name: `token ${known.name}`, address: request.ip };
  };
  return { prefix: '/operator/api', options: (api) => ({ config: { auth: 'token', api }, onRequest }) };
}

/** An operator who is signed in. */
export const operatorPages = {
  prefix: '/dashboard/api/operator',
  options: () => ({ config: { auth: 'cookie', role: 'operator', api: false } }),
} as const satisfies OperatorAuth;
