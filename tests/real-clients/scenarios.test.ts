// @module-tag slow

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeSessions, type TestAccount } from '../fixtures/gateway/gateway.ts';
import { scratchDirectory } from '../fixtures/process/scratch-directory.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { orSkip } from './installed.ts';
import { scenarioClients, scenarioNames } from './scenario-clients.ts';
import { type Site, startSite } from './site.ts';

watchLeaks({ wholeFile: true });

const run = promisify(execFile);

const all = new AsyncDisposableStack();
let service: SharedService;
let account: TestAccount;
let site: Site;
beforeAll(async () => {
  site = all.use(await startSite());
  service = all.use(await sharedService());
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(() => all.disposeAsync());

test.for(Object.entries(scenarioClients))(
  '%s, from its registry, does the scenarios that it has calls for',
  { timeout: 900_000 },
  async ([, { command, env, without = {} }], { skip }) => {
    const [program, ...args] = await orSkip(command(), skip);
    await using home = await scratchDirectory('home');
    const scratch = join(home.path, 'scratch');
    await mkdir(scratch);
    await writeFile(join(scratch, 'letter.txt'), 'dear all');
    // Some clients compress what they upload, which this does not become smaller by.
    await writeFile(join(scratch, 'large.bin'), randomBytes(80_000_000));
    // For clients of a session that runs. The others create their own at the gateway.
    const { json } = await account.create({ headless: true });
    const { stdout } = await run(program, args, {
      env: {
        ...process.env,
        HOME: home.path,
        TMPDIR: scratch,
        NODE_COMPILE_CACHE: '',
        GATEWAY: service.gatewayUrl,
        KEY: account.key,
        PROXY: account.proxy,
        SITE: site.origin,
        SCRATCH: scratch,
        CDP_URL: json.cdpUrl,
        BIDI_URL: json.bidiUrl,
        PLAYWRIGHT_URL: json.playwrightUrl,
        WEBDRIVER_URL: json.webdriverUrl,
        ...env,
      },
      cwd: scratch,
      timeout: 300_000,
    });
    const outcome = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    const expected = scenarioNames.map((name) => [name, name in without ? without[name] : 'ok'] as const);
    expect(outcome).toEqual(
      Object.fromEntries(
        expected.flatMap(([name, says]) =>
          says === undefined ? [] : [[name, says === 'ok' ? says : expect.stringMatching(says)]],
        ),
      ),
    );
    await closeSessions(account);
  },
);
