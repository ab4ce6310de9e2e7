import type { Slots } from '../limits/slots.ts';
import type { AccountRow } from '../store/tables.ts';

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
  keyInUserInfo: true,
  plainTextErrors: true,
} as const;

/** Browserless has each path with a slash at its end too, and Playwright asks for it so. */
export const withSlash = (path: string): string[] => [path, `${path}/`];

const prefixes = ['', '/chromium', '/chrome'];

/** The addresses of a call. */
export const callPaths = (name: string): string[] =>
  prefixes.flatMap((prefix) => withSlash(`${prefix}/${name}`));

/** The window of Puppeteer, and so of Browserless. */
export const usualViewport = { width: 800, height: 600 };
