import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../audit/actor.ts';
import { ApiError } from '../http/api-error.ts';
import { crossSiteRule } from '../http/same-origin.ts';
import type { Context } from '../seams/context.ts';
import { presentedToken } from './cookie.ts';
import { findSignedInUser } from './sign-in.ts';
import type { SignedIn } from './user-store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user who is signed in, on the dashboard's routes. */
    person: SignedIn;
    /** Who acts, for the audit log. */
    actor: Actor;
  }
  interface FastifyContextConfig {
    /** The content type that a page sends; JSON by default. Another site's form can send neither. */
    bodyType?: 'application/octet-stream';
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Hooks that authenticate requests of the dashboard. Every request is checked in the store. */
export function dashboardAuth({
  db,
  now,
}: Pick<Context, 'db' | 'now'>): Record<'anyone' | 'signedIn' | 'account' | 'operator', Hook> {
  const anyone: Hook = async (request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    if (request.method === 'GET' || request.method === 'HEAD') return;
    const rule = crossSiteRule(request.headers, request.host, request.routeOptions.config.bodyType);
    if (rule) throw new ApiError('crossSite', { because: rule });
  };

  const signedIn: Hook = async (request, reply) => {
    await anyone(request, reply);
    const token = presentedToken(request.headers.cookie);
    const person = token === undefined ? undefined : await findSignedInUser(db, token, now());
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
