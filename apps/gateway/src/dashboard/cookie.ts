/** `__Host-`: a browser takes it only from this very host, over TLS or from its own machine, for all paths. */
const name = '__Host-turnpike';
const tokenPattern = /^[0-9a-f]{64}$/;

/** Longer than any session holds; the store decides. */
const maxAgeSeconds = 30 * 86_400;

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export const sessionCookie = (token: string): string =>
  `${name}=${token}; ${attributes}; Max-Age=${maxAgeSeconds}`;

export const noCookie = `${name}=; ${attributes}; Max-Age=0`;

/** The token in a Cookie header, if one that could be ours is in it. */
export function presentedToken(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && tokenPattern.test(value)) return value;
  }
  return undefined;
}
