import type { Person } from '@turnpike/contract/dashboard/people';
import { peopleRoutes as routes } from '@turnpike/contract/dashboard/routes';
import type { FastifyReply } from 'fastify';
import { accountProfile } from '../accounts/account.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import type { Routes } from '../http/routes.ts';
import { requireOwnPage } from '../http/same-origin.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { changePassword } from '../users/change-password.ts';
import { deviceCookie, noCookie, presentedDevice, presentedToken, sessionCookie } from '../users/cookie.ts';
import { newDevice } from '../users/device.ts';
import { readLink, redeemLink } from '../users/links.ts';
import { requestPasswordReset } from '../users/password-reset.ts';
import { signIn } from '../users/sign-in.ts';
import { deleteUserSession, deleteUserSessions, type SignedIn } from '../users/user-store.ts';

const done = { done: true } as const;

/** Signing in and out, passwords and links. */
export function peopleRoutes(app: Routes, gateway: Gateway): void {
  const { db } = gateway;
  const anyone = { config: { auth: 'none', api: false }, onRequest: requireOwnPage } as const;
  const signedIn = { config: { auth: 'cookie', role: 'either', api: false } } as const;
  const { answer } = typedRoutes(app, routes, '/dashboard/api');

  answer('POST /sign-in', anyone, async (request, reply, readBody) => {
    const { token, ...person } = await signIn(gateway, {
      ...readBody(),
      address: request.ip,
      device: presentedDevice(request.headers.cookie),
    });
    await forgetPresented(request.headers.cookie);
    return welcome(reply, token, person);
  });

  answer('GET /sign-in/options', anyone, async () => ({ passwordReset: gateway.sendsMail }));

  answer('POST /password-reset', anyone, async (request, _reply, readBody) => {
    const { email } = readBody();
    if (!gateway.sendsMail)
      throw new ApiError('conflict', {
        message: 'This service does not send e-mail. Ask your operator for a link.',
      });
    await requestPasswordReset(gateway, { email, address: request.ip });
    return done;
  });

  answer('GET /me', signedIn, async ({ person }) => presentPerson(person));

  answer('POST /sign-out', anyone, async (request, reply) => {
    await forgetPresented(request.headers.cookie);
    reply.header('set-cookie', noCookie);
    return done;
  });

  answer('POST /sign-out-everywhere', signedIn, async ({ person }, reply) => {
    await deleteUserSessions(db, person.user.id);
    reply.header('set-cookie', noCookie);
    return done;
  });

  answer('POST /password', signedIn, async (request, reply, readBody) => {
    const change = { ...readBody(), address: request.ip };
    const token = await changePassword(gateway, request.person.user, change);
    reply.header('set-cookie', sessionCookie(token));
    return done;
  });

  answer('POST /link/look', anyone, async (_request, _reply, readBody) =>
    readLink(gateway, readBody().token),
  );

  answer('POST /link/use', anyone, async (request, reply, readBody) => {
    const use = { ...readBody(), address: request.ip };
    const { token, ...person } = await redeemLink(gateway, use);
    await forgetPresented(request.headers.cookie);
    return welcome(reply, token, person);
  });

  function welcome(reply: FastifyReply, token: string, person: SignedIn): Person {
    const device = newDevice(gateway.sealer, person.user.email);
    reply.header('set-cookie', [sessionCookie(token), deviceCookie(device)]);
    return presentPerson(person);
  }

  /** Ends the browser's earlier session: it has one at a time. */
  async function forgetPresented(cookie: string | undefined): Promise<void> {
    const token = presentedToken(cookie);
    if (token !== undefined) await deleteUserSession(db, hashSecret(token));
  }
}

function presentPerson({ user, account }: SignedIn): Person {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    account: account ? accountProfile(account) : null,
  };
}
