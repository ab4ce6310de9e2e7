import {
  Done,
  Link,
  LinkToken,
  LinkUse,
  PasswordChange,
  Person,
  type Person as PersonAnswer,
  SignIn,
} from '@turnpike/contract/dashboard';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { accountProfile } from '../accounts/account.ts';
import type { Gateway } from '../gateway.ts';
import { parseBody } from '../http/parse-with.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import { changePassword } from '../users/change-password.ts';
import { deviceCookie, noCookie, presentedDevice, presentedToken, sessionCookie } from '../users/cookie.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';
import { newDevice } from '../users/device.ts';
import { readLink, redeemLink } from '../users/links.ts';
import { signIn } from '../users/sign-in.ts';
import { deleteUserSession, deleteUserSessions, type SignedIn } from '../users/user-store.ts';

const config = { open: true, namesFields: true, api: false } as const;
const done = { done: true } as const;

/** Signing in and out, passwords and links. */
export function peopleRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { db } = gateway;
  const { anyone, signedIn } = dashboardAuth(gateway);
  const answering = (schema: object) => ({ config, schema: { response: { 200: schema } } });

  app.post('/dashboard/api/sign-in', { ...answering(Person), onRequest: anyone }, async (request, reply) => {
    const { token, ...person } = await signIn(gateway, {
      ...parseBody(request, SignIn),
      address: request.ip,
      device: presentedDevice(request.headers.cookie),
    });
    await forgetPresented(request.headers.cookie);
    return welcome(reply, token, person);
  });

  app.get('/dashboard/api/me', { ...answering(Person), onRequest: signedIn }, async ({ person }) =>
    presentPerson(person),
  );

  app.post('/dashboard/api/sign-out', { ...answering(Done), onRequest: anyone }, async (request, reply) => {
    await forgetPresented(request.headers.cookie);
    reply.header('set-cookie', noCookie);
    return done;
  });

  app.post(
    '/dashboard/api/sign-out-everywhere',
    { ...answering(Done), onRequest: signedIn },
    async ({ person }, reply) => {
      await deleteUserSessions(db, person.user.id);
      reply.header('set-cookie', noCookie);
      return done;
    },
  );

  app.post('/dashboard/api/password', { ...answering(Done), onRequest: signedIn }, async (request, reply) => {
    const change = { ...parseBody(request, PasswordChange), address: request.ip };
    const token = await changePassword(gateway, request.person.user, change);
    reply.header('set-cookie', sessionCookie(token));
    return done;
  });

  app.post('/dashboard/api/link/look', { ...answering(Link), onRequest: anyone }, async (request) =>
    readLink(gateway, parseBody(request, LinkToken).token),
  );

  app.post('/dashboard/api/link/use', { ...answering(Person), onRequest: anyone }, async (request, reply) => {
    const use = { ...parseBody(request, LinkUse), address: request.ip };
    const { token, ...person } = await redeemLink(gateway, use);
    await forgetPresented(request.headers.cookie);
    return welcome(reply, token, person);
  });

  function welcome(reply: FastifyReply, token: string, person: SignedIn): PersonAnswer {
    const device = newDevice(gateway.sealer, person.user.email);
    reply.header('set-cookie', [sessionCookie(token), deviceCookie(device)]);
    return presentPerson(person);
  }

  /** A browser is signed in once: what it was before is over. */
  async function forgetPresented(cookie: string | undefined): Promise<void> {
    const token = presentedToken(cookie);
    if (token !== undefined) await deleteUserSession(db, hashSecret(token));
  }
}

function presentPerson({ user, account }: SignedIn): PersonAnswer {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    account: account ? accountProfile(account) : null,
  };
}
