import type { Slots } from '../limits/slots.ts';
import type { PageContext } from '../page/page-context.ts';
import type { AccountRow } from '../store/tables.ts';

/** What the routes of Browserless work with. */
export interface BrowserlessContext extends PageContext {
  /** The gateway's URL for people, if it is set. */
  publicUrl?: string | undefined;
}

/** What its status is read from, which other features have. */
export interface StatusReads {
  slots(account: AccountRow): Promise<Slots>;
  /** The version of the hosts' Chromium, or null while there is no host. */
  chromiumVersion(): Promise<string | null>;
  /** Days with sessions that ended, oldest first. */
  usage(account: AccountRow): Promise<{ date: string; sessions: number; browserSeconds: number }[]>;
}

/** How every route of Browserless knows its caller: by the key, wherever its clients put a token. */
export const tokenAccess = {
  auth: 'key',
  api: false,
  keyInQuery: true,
  keyInAuthorization: true,
  plainTextErrors: true,
} as const;

/** Browserless has each path with a slash at its end too, and Playwright asks for it so. */
export const withSlash = (path: string): string[] => [path, `${path}/`];
