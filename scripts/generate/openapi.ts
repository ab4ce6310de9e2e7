import { buildApp } from '../../apps/gateway/src/app.ts';
import type { EventStreams } from '../../apps/gateway/src/events/event-stream.ts';
import type { Gateway } from '../../apps/gateway/src/gateway.ts';
import { writeOrCheck } from './generated-files.ts';

/** Writes docs/openapi.json; with --check it only compares. It runs no route, so it needs no store or host. */
const app = buildApp({} as Gateway, { close() {} } as EventStreams);
await app.ready();
const undescribed = app.openApi.undescribed();
if (undescribed.length > 0) {
  console.error(`routes without config.api (false: no part of the API):\n  ${undescribed.join('\n  ')}`);
  process.exitCode = 1;
}
writeOrCheck({ 'docs/openapi.json': app.openApi.json() }, 'npm run openapi');
await app.close();
