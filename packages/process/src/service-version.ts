import { readFileSync } from 'node:fs';

/** Of this package, and so of the release that it came with. */
export const serviceVersion: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;
