import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/leaks.ts';
import { startService } from '../fixtures/service.ts';
import { startWebServer } from '../fixtures/web-server.ts';

watchLeaks();

const root = join(import.meta.dirname, '../..');

test('the script of the README loads a page through the proxy, as written but for the addresses', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const script = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  await using web = await startWebServer();
  await using service = await startService();
  // Below the root, so that it finds playwright-core.
  const file = join(root, 'node_modules', `.readme-${process.pid}.mjs`);
  await using _removed = { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
  await writeFile(
    file,
    script
      .replaceAll('http://127.0.0.1:8080', service.gatewayUrl)
      .replaceAll('https://example.com/', `${web.origin}/`),
  );
  const env = { ...process.env, TURNPIKE_KEY: service.demoKey, PROXY: service.demoProxyUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  expect(stdout.trim()).toBe('Turnpike test page');
  const headers = { 'x-api-key': service.demoKey };
  const limits = await (await fetch(`${service.gatewayUrl}/user/api/limits`, { headers })).json();
  expect(limits).toMatchObject({ active: 0 });
});
