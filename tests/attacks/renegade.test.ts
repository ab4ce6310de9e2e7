import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { quickWhere, testEach } from '../fixtures/suite/matrix.ts';
import type { RawCdp } from './cdp.ts';
import { AttackHarness } from './harness.ts';

watchLeaks({ wholeFile: true });

/** What a browser in other hands might write where the host expects DevTools messages, given a session of its client. */
const lies: Record<string, (sessionId: string) => string> = {
  rubbish: () => 'rubbish',
  'no object': () => 'null',
  'an event without parameters': () => '{"method":"Target.detachedFromTarget"}',
  'an event that emitters treat as fatal': () => '{"method":"error","params":{}}',
  'a malformed event of a session': (id) => `{"method":"Target.attachedToTarget",,"sessionId":"${id}"}`,
  'an empty event of a session': (id) => `{"method":"Target.detachedFromTarget","sessionId":"${id}"}`,
};

/** Chromium, with a helper beside it that passes on what its client has it save. */
const browser = `#!/bin/sh
[ "$1" = --version ] && exec /usr/lib/chromium/chromium --version
(
  until [ -e /home/user/files/lie.txt ]; do sleep 0.05; done
  cat /home/user/files/lie.txt >&4
) &
exec /usr/lib/chromium/chromium "$@"
`;

let directory: string;
let harness: AttackHarness;
let otherClient: RawCdp;

beforeAll(async () => {
  directory = await mkdtemp('/var/tmp/renegade-'); // The sandbox has a /tmp of its own over the host's.
  await writeFile(`${directory}/chromium`, browser);
  for (const path of [directory, `${directory}/chromium`]) await chmod(path, 0o755);
  harness = await AttackHarness.open({
    TURNPIKE_CHROMIUM: `${directory}/chromium`,
    TURNPIKE_HOST_WARM_HEADFUL: '0',
  });
  harness.proxy.page('/', '<!doctype html><title>attack</title>');
  otherClient = await harness.attack(await harness.session({ headless: 'true' }));
});
afterEach(() => harness.expectSealed());
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const all = Object.entries(lies);
const isQuick = ([name]: (typeof all)[number]) => /^rubbish$|fatal/.test(name);
testEach(quickWhere(all, isQuick))('a browser that writes %s to the host ends, alone', async (_name, lie) => {
  const client = await harness.attack(await harness.session({ headless: 'true' }));
  const page = await client.page('http://localhost/');
  await client.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/home/user/files' });
  await page.run(`Object.assign(document.createElement('a'), { download: 'lie.txt',
    href: URL.createObjectURL(new Blob([${JSON.stringify(`${lie(page.sessionId)}\0`)}])) }).click()`);
  expect(await client.closed).toBe(4002);
  expect(await otherClient.call('Browser.getVersion')).toHaveProperty('product');
});
