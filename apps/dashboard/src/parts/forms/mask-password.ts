const credentials = /^([a-z][a-z0-9+.-]*:\/\/[^/:@]*:)([^/]+)(@)/i;

/** A URL with its password hidden. */
export const maskPassword = (url: string): string => url.replace(credentials, '$1••••••$3');
