/** `__Host-`: browsers accept it only from this host, over TLS or from the same machine, and for all paths. */
const sessionName = '__Host-turnpike';
const deviceName = '__Host-turnpike-device';
const tokenPattern = /^[0-9a-f]{64}$/;

/** As long as a session can last; the store decides. */
const sessionSeconds = 30 * 86_400;
const deviceSeconds = 180 * 86_400;

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export const sessionCookie = (token: string): string =>
  `${sessionName}=${token}; ${attributes}; Max-Age=${sessionSeconds}`;

/** Stays when the session ends: it only says that this browser has signed in before. */
export const deviceCookie = (device: string): string =>
  `${deviceName}=${device}; ${attributes}; Max-Age=${deviceSeconds}`;

export const noCookie = `${sessionName}=; ${attributes}; Max-Age=0`;

/** Reads the session's token from a Cookie header. */
export function presentedToken(header: string | undefined): string | undefined {
  return valuesOf(header, sessionName).find((value) => tokenPattern.test(value));
}

export const presentedDevice = (header: string | undefined): string | undefined =>
  valuesOf(header, deviceName)[0];

function valuesOf(header: string | undefined, name: string): string[] {
  return (header?.split(';') ?? []).flatMap((pair) => {
    const [key, value] = pair.trim().split('=', 2);
    return key === name && value !== undefined ? [value] : [];
  });
}
