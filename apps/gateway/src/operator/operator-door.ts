import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../accounts/secrets.ts';
import { dashboardDoor } from '../dashboard/door.ts';
import type { Gateway } from '../gateway.ts';
import type { ApiDescription } from '../http/api-description.ts';
import { ApiError } from '../http/api-error.ts';
import { findOperatorToken } from './operator-token-store.ts';

/** A way in for an operator: where its routes are, and who may pass. It says who is acting. */
export interface OperatorDoor {
  prefix: string;
  /** What the OpenAPI document says of a route behind it. */
  describe(api: ApiDescription): ApiDescription | false;
  onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

const tokenPattern = /^Bearer +(tpop_[0-9a-f]{64}) *$/i;

/** For the operator's machines, which hold a token. */
export function tokenDoor({ db }: Pick<Gateway, 'db'>): OperatorDoor {
  return {
    prefix: '/operator/api',
    describe: (api) => api,
    async onRequest(request) {
      const { authorization } = request.headers;
      if (!authorization) throw new ApiError('missingOperatorToken');
      const token = tokenPattern.exec(authorization)?.[1];
      const known = token && (await findOperatorToken(db, hashSecret(token)));
      if (!known) throw new ApiError('invalidOperatorToken');
      request.learnt.operatorToken = known.id;
      request.actor = { name: `token ${known.name}`, address: request.ip };
    },
  };
}

/** For an operator who is signed in. */
export function cookieDoor(gateway: Pick<Gateway, 'db' | 'now'>): OperatorDoor {
  return {
    prefix: '/dashboard/api/operator',
    describe: () => false,
    onRequest: dashboardDoor(gateway).operator,
  };
}
