/** `__Host-`: a browser takes it only from this very host, over TLS or from its own machine, for all paths. */
const sessionName = '__Host-turnpike';
const deviceName = '__Host-turnpike-device';
const tokenPattern = /^[0-9a-f]{64}$/;

/** Longer than any session holds; the store decides. */
const sessionSeconds = 30 * 86_400;
const deviceSeconds = 180 * 86_400;

const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export const sessionCookie = (token: string): string =>
  `${sessionName}=${token}; ${attributes}; Max-Age=${sessionSeconds}`;

/** Stays when the session ends: it says only that this browser has signed in before. */
export const deviceCookie = (device: string): string =>
  `${deviceName}=${device}; ${attributes}; Max-Age=${deviceSeconds}`;

export const noCookie = `${sessionName}=; ${attributes}; Max-Age=0`;

/** The token in a Cookie header, if one that could be ours is in it. */
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
