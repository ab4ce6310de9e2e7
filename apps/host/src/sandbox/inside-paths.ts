/** Paths inside the sandbox, which are the same for every browser. */

export const insideHome = '/home/user';
/** Chromium's profile directory. */
export const profileDirectory = `${insideHome}/profile`;
/** Downloads, and files that pages may upload. */
export const filesDirectory = `${insideHome}/files`;
