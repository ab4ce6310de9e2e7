// @module-tag slow

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { orSkip, pythonPackages } from './installed.ts';

watchLeaks({ wholeFile: true });

const run = promisify(execFile);
const program = join(import.meta.dirname, 'programs/with_family.py');

const cdpUrlForm = expect.stringMatching(/^ws:.*\/cdp\/br_[0-9a-f]{40}$/);
const asked = expect.objectContaining({ os: 'linux', headless: true, maxLifetime: 600 });

const all = new AsyncDisposableStack();
let service: SharedService;
beforeAll(async () => {
  service = all.use(await sharedService());
});
afterAll(() => all.disposeAsync());

test.for(['2.2.0', '2.3.0'])(
  "rayobrowse %s, the family's Python client, works unchanged",
  async (version, { skip }) => {
    const python = await orSkip(pythonPackages(`rayobrowse==${version}`, 'httpx==0.28.1'), skip);
    const account = await service.account({ concurrent_limit: 2 });
    const env = { ...process.env, ENDPOINT: service.gatewayUrl, KEY: account.key, PROXY: account.proxy };
    const { stdout } = await run(python, [program], { env });
    const outcome = JSON.parse(stdout);
    const { connected, idCreated: second } = outcome;
    const { id: first, url } = connected;
    const session = { browserId: first, cdpUrl: url, status: 'ACTIVE', browserParams: asked };
    const { cdpUrl } = outcome.created;
    expect([url, cdpUrl]).toEqual([cdpUrlForm, cdpUrlForm]);
    expect(outcome).toEqual({
      healthy: true,
      none: [],
      badKey: [401, '{"code":"INVALID_API_KEY","error":"Invalid API key"}'],
      noProxy: [400, 'A proxy is required for this account. (no proxy supplied)'],
      connected,
      again: url,
      idAgain: first,
      status: expect.objectContaining(session),
      created: expect.objectContaining({
        ...session,
        browserId: second,
        cdpUrl,
        sessionId: second,
        wsEndpoint: cdpUrl,
      }),
      idCreated: second,
      listed: [first, second].toSorted(),
      bulk: { [first]: 'ACTIVE', [second]: 'ACTIVE', br_none: 'NOT_FOUND' },
      full: [2, 2, true],
      closed: true,
      closedAgain: true,
      statusClosed: 'CLOSED',
      statusUnknown: 'NOT_FOUND',
      left: [],
    });
  },
);
