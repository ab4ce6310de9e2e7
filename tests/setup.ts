import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, inject } from 'vitest';
import { violationsFile, violationsPath } from './fixtures/suite/check-answers.ts';
import { compileCache } from './fixtures/suite/compile-cache.ts';
import { processDirectory } from './fixtures/suite/process-directory.ts';

const violations = violationsPath(inject('runDirectory'), process.env['VITEST_POOL_ID'] ?? '');
Object.assign(process.env, {
  TMPDIR: processDirectory,
  [violationsFile]: violations,
  NODE_COMPILE_CACHE: compileCache,
});

/** Answers that the OpenAPI document does not have fail the test, or the file when they came after its last. */
function expectNoViolations(): void {
  if (!existsSync(violations)) return;
  const lines = readFileSync(violations, 'utf8');
  rmSync(violations);
  throw new Error(`answers that docs/openapi.json does not have (npm run openapi writes it):\n${lines}`);
}
afterEach(expectNoViolations);

afterAll(async () => {
  for (const name of readdirSync(processDirectory)) {
    await rm(join(processDirectory, name), { recursive: true, force: true, maxRetries: 5 });
  }
  expectNoViolations();
});
