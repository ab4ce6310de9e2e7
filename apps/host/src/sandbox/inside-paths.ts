/** Paths inside the sandbox, which are the same for every browser. */

export const insideHome = '/home/user';
/** Chromium's profile directory. */
export const profileDirectory = `${insideHome}/profile`;
/** The archive of the claimed system's fonts. */
export const fontsInside = '/etc/fonts.tar';
/** The directory of X servers' sockets, below the home directory. */
export const xSockets = 'tmp/.X11-unix';
/** Downloads, and files that pages may upload. */
export const filesDirectory = `${insideHome}/files`;
/** Files that programs of the session write for a while. `/tmp` is a link to it. */
export const temporaryDirectory = `${insideHome}/tmp`;
/** The extensions that a session's create named, each in a directory that has its id. */
export const extensionsDirectory = `${insideHome}/extensions`;
