import type { Actor } from '../audit/actor.ts';
import { ApiError } from '../http/api-error.ts';
import type { CookieAuth } from '../http/authentication.ts';
import { requireOwnPage } from '../http/same-origin.ts';
import type { Context } from '../seams/context.ts';
import { presentedToken } from './cookie.ts';
import { findSignedInUser } from './sign-in.ts';
import type { SignedIn } from './user-store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user who is signed in, where the cookie says who calls. */
    person: SignedIn;
    /** Who acts, for the audit log, on routes for people and operators. */
    actor: Actor;
  }
}

/** Authenticates users of the dashboard. Every request is checked in the store. */
export function cookieAuth({ db, now }: Pick<Context, 'db' | 'now'>): CookieAuth {
  return {
    isPresented: ({ headers }) => presentedToken(headers.cookie) !== undefined,
    async authenticate(request, reply) {
      await requireOwnPage(request, reply);
      const token = presentedToken(request.headers.cookie);
      const person = token === undefined ? undefined : await findSignedInUser(db, token, now());
      if (!person) throw new ApiError('notSignedIn');
      request.person = person;
      request.actor = { name: person.user.email, address: request.ip };
      request.logFields.userId = person.user.id;
      const { role = 'account' } = request.routeOptions.config;
      if (role === 'operator' && person.user.role !== 'operator') throw new ApiError('notForYou');
      if (role !== 'account') return;
      const { account } = person;
      if (!account) throw new ApiError('notForYou');
      request.logFields.accountId = account.id;
      if (account.status !== 'active') throw new ApiError('accountSuspended');
      request.account = account;
    },
  };
}
