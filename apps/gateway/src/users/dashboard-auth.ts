import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../audit/actor.ts';
import { ApiError } from '../http/api-error.ts';
import { crossSiteRule } from '../http/same-origin.ts';
import type { Context } from '../seams/context.ts';
import { presentedToken } from './cookie.ts';
import { findSession } from './sign-in.ts';
import type { SignedIn } from './user-store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in, on the dashboard's routes. */
    person: SignedIn;
    /** For the audit log, on routes that keep it. */
    actor: Actor;
  }
  interface FastifyContextConfig {
    /** What a page sends there; JSON, if nothing is said. No other site's form can send either. */
    bodyType?: 'application/octet-stream';
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Who may come in, on routes of the dashboard. Every request asks the store. */
export function dashboardAuth({
  db,
  now,
}: Pick<Context, 'db' | 'now'>): Record<'anyone' | 'signedIn' | 'account' | 'operator', Hook> {
  const anyone: Hook = async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    if (request.method === 'GET') return;
    const rule = crossSiteRule(request.headers, request.host, request.routeOptions.config.bodyType);
    if (rule) throw new ApiError('crossSite', { because: rule });
  };

  const signedIn: Hook = async (request, reply) => {
    await anyone(request, reply);
    const token = presentedToken(request.headers.cookie);
    const person = token === undefined ? undefined : await findSession(db, token, now());
    if (!person) throw new ApiError('notSignedIn');
    request.person = person;
    request.actor = { name: person.user.email, address: request.ip };
    request.logFields.userId = person.user.id;
  };

  const account: Hook = async (request, reply) => {
    await signedIn(request, reply);
    const { account: own } = request.person;
    if (!own) throw new ApiError('notForYou');
    request.logFields.accountId = own.id;
    if (own.status !== 'active') throw new ApiError('accountSuspended');
    request.account = own;
  };

  const operator: Hook = async (request, reply) => {
    await signedIn(request, reply);
    if (request.person.user.role !== 'operator') throw new ApiError('notForYou');
  };

  return { anyone, signedIn, account, operator };
}
