import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { violationsFile } from './fixtures/check-answers.ts';
import { processDirectory } from './fixtures/process-directory.ts';

// Beside the directory, for what a test file leaves in there is its own doing.
const violations = `${processDirectory}.violations`;
// Gateways, hosts and commands are started by the hundred, and would each compile the same sources.
const compileCache = join(import.meta.dirname, '../node_modules/.cache/turnpike');
Object.assign(process.env, {
  ...{ TMPDIR: processDirectory, [violationsFile]: violations },
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
