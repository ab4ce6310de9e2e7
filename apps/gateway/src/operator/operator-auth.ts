import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import type { ApiDescription } from '../http/api-description.ts';
import { ApiError } from '../http/api-error.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';
import { findOperatorToken } from './operator-token-store.ts';

/** A way to authenticate operators: where its routes are, and who may call them. It sets `request.actor`. */
export interface OperatorAuth {
  prefix: string;
  /** Describes a route for the OpenAPI document; false: it is not part of the API. */
  describe(api: ApiDescription): ApiDescription | false;
  onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

const tokenPattern = /^Bearer +(tpop_[0-9a-f]{64}) *$/i;

/** Authenticates the operator's machines, by token. */
export function tokenAuth({ db }: Pick<Gateway, 'db'>): OperatorAuth {
  return {
    prefix: '/operator/api',
    describe: (api) => api,
    async onRequest(request) {
      const { authorization } = request.headers;
      if (!authorization) throw new ApiError('missingOperatorToken');
      const token = tokenPattern.exec(authorization)?.[1];
      const known = token && (await findOperatorToken(db, hashSecret(token)));
      if (!known) throw new ApiError('invalidOperatorToken');
      request.logFields.operatorToken = known.id;
      request.actor = { name: `token ${known.name}`, address: request.ip };
    },
  };
}

/** Authenticates an operator who is signed in, by cookie. */
export function cookieAuth(gateway: Pick<Gateway, 'db' | 'now'>): OperatorAuth {
  return {
    prefix: '/dashboard/api/operator',
    describe: () => false,
    onRequest: dashboardAuth(gateway).operator,
  };
}
