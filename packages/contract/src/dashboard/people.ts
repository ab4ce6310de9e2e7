import { type Static, Type } from 'typebox';
import { AccountProfile } from '../account.ts';
import { nullable, Timestamp } from './common.ts';

/** Signing in, passwords and links. */

export const roles = ['account', 'operator'] as const;
export type Role = (typeof roles)[number];

export const passwordLength = { min: 10, max: 200 } as const;
const Password = Type.String({ minLength: passwordLength.min, maxLength: passwordLength.max });

/** Who is signed in. */
export const Person = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: Type.Enum(roles),
  account: nullable(AccountProfile),
});
export type Person = Static<typeof Person>;

export const SignIn = Type.Object({
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: 200 }),
});
export type SignIn = Static<typeof SignIn>;

/** What the sign-in page offers. */
export const SignInOptions = Type.Object({
  passwordReset: Type.Boolean({ description: 'The service can send a link by e-mail' }),
});
export type SignInOptions = Static<typeof SignInOptions>;

export const PasswordResetRequest = Type.Object({ email: Type.String({ maxLength: 254 }) });
export type PasswordResetRequest = Static<typeof PasswordResetRequest>;

export const PasswordChange = Type.Object({ current: Type.String({ maxLength: 200 }), password: Password });
export type PasswordChange = Static<typeof PasswordChange>;

/**
 * The token of an invitation or a password reset. The link is `/welcome#token=…` and works once; the page takes the
 * token out of the fragment and out of the address bar.
 */
export const LinkToken = Type.Object({ token: Type.String({ maxLength: 200 }) });
export type LinkToken = Static<typeof LinkToken>;

export const linkKinds = ['invitation', 'reset'] as const;
export type LinkKind = (typeof linkKinds)[number];
export const Link = Type.Object({
  kind: Type.Enum(linkKinds),
  email: Type.String(),
  role: Type.Enum(roles),
  expiresAt: Timestamp,
});
export type Link = Static<typeof Link>;

export const LinkUse = Type.Object({ token: Type.String({ maxLength: 200 }), password: Password });
export type LinkUse = Static<typeof LinkUse>;

/** A new link to `/welcome#token=…`, shown once. */
export const CreatedLink = Type.Object({ url: Type.String(), expiresAt: Timestamp });
export type CreatedLink = Static<typeof CreatedLink>;
