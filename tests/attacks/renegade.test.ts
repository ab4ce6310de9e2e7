import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/leaks.ts';
import { Arena } from './arena.ts';

watchLeaks({ wholeFile: true });

/** What a browser in other hands might write where the host expects DevTools messages. */
const lies = {
  rubbish: 'rubbish',
  'no object': 'null',
  'an event without parameters': '{"method":"Target.detachedFromTarget"}',
  'an event that emitters treat as fatal': '{"method":"error","params":{}}',
  'a session that cannot be':
    '{"method":"Target.attachedToTarget",,"sessionId":"0123456789ABCDEF0123456789ABCDEF"}',
};

const browser = (directory: string) => `#!/bin/sh
(
  until [ -e /home/user/lie.txt ]; do sleep 0.05; done
  cat ${directory}/lie >&4
) &
exec /usr/lib/chromium/chromium "$@"
`;

let directory: string;
let arena: Arena;

beforeAll(async () => {
  directory = await mkdtemp('/var/tmp/renegade-'); // The sandbox has a /tmp of its own over the host's.
  await writeFile(`${directory}/chromium`, browser(directory));
  for (const path of [directory, `${directory}/chromium`]) await chmod(path, 0o755);
  arena = await Arena.open({ TURNPIKE_CHROMIUM: `${directory}/chromium` });
  arena.proxy.page('/', '<!doctype html><title>attack</title>');
});
afterEach(() => arena.expectSealed());
afterAll(async () => {
  await arena[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

test.each(Object.entries(lies))('a browser that writes %s to the host ends, alone', async (_name, lie) => {
  await writeFile(`${directory}/lie`, `${lie}\0`, { mode: 0o644 });
  const neighbour = await arena.attack(await arena.session({ headless: 'true' }));
  const session = await arena.session({ headless: 'true' });
  const client = await arena.attack(session);
  const page = await client.page('http://localhost/');
  await client.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: '/home/user' });
  await page.run(`Object.assign(document.createElement('a'), { download: 'lie.txt',
    href: URL.createObjectURL(new Blob(['x'])) }).click()`);
  expect(await client.closed).toBe(4002);
  expect(await neighbour.call('Browser.getVersion')).toHaveProperty('product');
  await neighbour.close();
});
