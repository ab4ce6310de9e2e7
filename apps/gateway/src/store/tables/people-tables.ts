import type { AuditAction } from '@turnpike/contract/dashboard/operator-pages';
import type { LinkKind, Role } from '@turnpike/contract/dashboard/people';
import type { Generated, Selectable } from 'kysely';

export interface OperatorTokenTable {
  id: string;
  name: string;
  token_hash: string;
  created_at: number;
}

/** A user of the dashboard: of an account, or an operator. */
export interface UserTable {
  id: string;
  email: string;
  role: Role;
  account_id: string | null;
  /** Null until the user has used a link to set one. */
  password_hash: Generated<string | null>;
  created_at: number;
  last_sign_in_at: Generated<number | null>;
}
export type UserRow = Selectable<UserTable>;

/** A browser session of the dashboard. */
export interface UserSessionTable {
  token_hash: string;
  user_id: string;
  created_at: number;
  seen_at: number;
}

export interface UserLinkTable {
  user_id: string;
  token_hash: string;
  kind: LinkKind;
  expires_at: number;
}

export interface SignInLimitTable {
  key: string;
  /** Each attempt moves it ahead. When it is too far ahead of now, the next attempt is refused. */
  used_until: number;
}

export interface AuditTable {
  id: string;
  at: number;
  actor: string;
  action: AuditAction;
  target: string;
  detail: string;
  address: string | null;
}
