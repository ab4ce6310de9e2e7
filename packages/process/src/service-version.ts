import { readFileSync } from 'node:fs';

/** The version of this package, which is the version of the release. */
export const serviceVersion: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
