import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGatewayOn } from '../fixtures/gateway/gateway.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';

watchLeaks({ wholeFile: true });

const root = join(import.meta.dirname, '../..');
const directory = join(root, 'clients/python');

let web: WebServer;
let service: SharedService;
beforeAll(async () => {
  web = await startWebServer();
  service = await sharedService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
});

/** Runs Python with the client's source at hand; fails with all that it printed. */
async function python(args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(join(directory, '.venv/bin/python'), args, {
    cwd: directory,
    env: { ...process.env, PYTHONPATH: join(directory, 'src'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new Error(`python ${args.join(' ').slice(0, 100)} failed:\n${stdout}${stderr}`);
  return stdout;
}

// The wheel, and each test with clients of every kind, take most of the time.
testEach({ quick: ['not asyncio and not trio and not wheel'], slow: ['asyncio or trio or wheel'] })(
  "the client's own tests pass, on this running service: %s",
  async (which) => {
    await using gateway = await startGatewayOn('sqlite');
    gateway.host.onOpen = (_request, signal) => delay(200, undefined, { signal });
    const account = async () => ({ endpoint: gateway.url, ...(await gateway.account()) });
    const accounts = {
      sync: await account(),
      asyncio: await account(),
      'rotating sync': await account(),
      'rotating asyncio': await account(),
      real: { endpoint: service.gatewayUrl, page: `${web.origin}/`, ...(await service.account()) },
    };
    const report = await python(['-m', 'pytest', '-k', which], {
      TURNPIKE_TEST_ACCOUNTS: JSON.stringify(accounts),
    });
    expect(gateway.host.busy).toBe(0);
    expect(report).toMatch(/^\d+ passed/m);
    expect(report).not.toMatch(/skipped|xfailed/);
  },
);

describe('as written for those who use it', () => {
  const environment = () => ({
    TURNPIKE_URL: service.gatewayUrl,
    TURNPIKE_API_KEY: service.demoKey,
    TURNPIKE_PROXY: service.demoProxyUrl,
  });

  test('the examples print what they say', { tags: 'slow' }, async () => {
    const examples = join(root, 'examples/python');
    const one = await python([join(examples, 'page_title.py'), `${web.origin}/`], environment());
    expect(one).toBe('Turnpike test page\n');
    const urls = [`${web.origin}/?1`, `${web.origin}/?2`];
    const many = await python([join(examples, 'many_pages.py'), ...urls], environment());
    expect(many).toBe(urls.map((url) => `${url} Turnpike test page\n`).join(''));
  });

  test('the samples of the docs run', { tags: 'slow' }, async () => {
    const docs = await readFile(join(root, 'docs/clients-python.md'), 'utf8');
    const samples = [...docs.matchAll(/```python\n([\s\S]*?)```/g)].map(([, sample = '']) => sample);
    const printed = [];
    for (const sample of samples) printed.push(await python(['-c', sample], environment()));
    expect(printed).toEqual([
      expect.stringMatching(/^br_\w+ \d.*\n4 more browsers may run\n(br_\w+ 30 seconds billed\n)+$/),
      expect.stringMatching(/^wss?:.*\n(br_\w+ CLOSED\n)+$/),
      "image/png b'PNG'\n['https://example.com/']\n",
      'PROXY_INVALID missing port\n',
    ]);
  });
});
