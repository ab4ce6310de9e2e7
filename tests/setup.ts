import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { violationsFile } from './fixtures/check-answers.ts';

// Each test file has a temporary directory of its own, so that what it leaves there is its own doing. The name
// is short because unix sockets are put below it, and others may enter because daemons run as other users.
// In memory where there is room: the stores of tests wait for the disk at every commit.
const memory = '/dev/shm';
const outer = existsSync(memory) && roomIn(memory) > 4 * 2 ** 30 ? memory : tmpdir();
const former = tmpdir();
const own = mkdtempSync(join(outer, 'tp-'));
chmodSync(own, 0o1777);
// Beside it, for what the test file leaves there is not its own doing.
const violations = `${own}.violations`;
// Gateways, hosts and commands are started by the hundred, and would each compile the same sources.
const compileCache = join(import.meta.dirname, '../node_modules/.cache/turnpike');
Object.assign(process.env, {
  ...{ TMPDIR: own, [violationsFile]: violations },
  NODE_COMPILE_CACHE: compileCache,
});

function roomIn(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Answers that the OpenAPI document does not have fail the test, or the file when they came after its last. */
function expectNoViolations(): void {
  if (!existsSync(violations)) return;
  const lines = readFileSync(violations, 'utf8');
  rmSync(violations);
  throw new Error(`answers that docs/openapi.json does not have (npm run openapi writes it):\n${lines}`);
}
afterEach(expectNoViolations);

afterAll(async () => {
  Object.assign(process.env, { TMPDIR: former });
  await rm(own, { recursive: true, force: true, maxRetries: 5 });
  expectNoViolations();
});
