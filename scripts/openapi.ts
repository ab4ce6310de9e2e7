import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildApp } from '../apps/gateway/src/app.ts';
import type { EventStreams } from '../apps/gateway/src/events/event-stream.ts';
import type { Gateway } from '../apps/gateway/src/gateway.ts';

/** Writes docs/openapi.json; with --check it only compares. It runs no route, so it needs no store or host. */
const file = join(import.meta.dirname, '../docs/openapi.json');
const app = buildApp({} as Gateway, { close() {} } as EventStreams);
await app.ready();
const undescribed = app.openApi.undescribed();
if (undescribed.length > 0) {
  console.error(`routes without config.api (false: no part of the API):\n  ${undescribed.join('\n  ')}`);
  process.exitCode = 1;
}
const json = app.openApi.json();
if (!process.argv.includes('--check')) {
  writeFileSync(file, json);
} else if (readFileSync(file, 'utf8') !== json) {
  console.error('docs/openapi.json is out of date. Run npm run openapi.');
  process.exitCode = 1;
}
await app.close();
