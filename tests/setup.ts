import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// Each test file has a temporary directory of its own, so that what it leaves there is its own doing. The name
// is short because unix sockets are put below it, and others may enter because daemons run as other users.
const outer = tmpdir();
const own = mkdtempSync(join(outer, 'tp-'));
chmodSync(own, 0o1777);
Object.assign(process.env, { TMPDIR: own });

afterAll(async () => {
  Object.assign(process.env, { TMPDIR: outer });
  await rm(own, { recursive: true, force: true, maxRetries: 5 });
});
