import { Upstream } from '@turnpike/tunnel/upstream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/leaks.ts';
import { startSquid } from '../../../../tests/fixtures/squid.ts';
import { startWebServer } from '../../../../tests/fixtures/web-server.ts';
import type { Browser } from '../chromium/browser.ts';
import { readHostConfig } from '../config.ts';
import { usualStart } from '../profile/plan-start.ts';
import { Sandboxes } from '../sandbox/sandboxes.ts';
import { createTestSwitchboard } from '../testing/test-switchboard.ts';
import { prepareBrowser } from './prepared-browser.ts';
import { UserIds } from './user-ids.ts';

watchLeaks();

/** Runs a script in the browser's first page. */
async function pageScript(browser: Browser): Promise<(expression: string) => Promise<unknown>> {
  const { controller } = browser;
  const { targetInfos } = await controller.call('Target.getTargets', {});
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? '';
  const attach = { targetId, flatten: true };
  const { sessionId: cdpSessionId } = await controller.call('Target.attachToTarget', attach);
  controller.sessions.add(cdpSessionId);
  return async (expression) => {
    const params = { expression, awaitPromise: true };
    const { result } = await controller.call('Runtime.evaluate', params, { cdpSessionId });
    return result.value;
  };
}

it.each(['headless', 'headful'] as const)(
  'a %s browser that has no proxy reaches nothing, and everything once it has one',
  async (shape) => {
    await using web = await startWebServer();
    await using squid = await startSquid();
    const config = readHostConfig({});
    const sandboxes = new Sandboxes(config, pino({ level: 'silent' }));
    const userIds = new UserIds(process.getuid?.() === 0 ? config.uidBase : undefined);
    const start = usualStart(shape === 'headless', '156.0.0.0');
    const never = new AbortController().signal;
    await using cleanup = new AsyncDisposableStack();
    const switchboard = createTestSwitchboard();
    cleanup.defer(() => switchboard.close());
    const options = { ...config, sandboxes, switchboard, userIds };
    const prepared = cleanup.use(await prepareBrowser(start, options, never));
    const run = await pageScript(prepared.browser);
    const ask = (scheme: string) =>
      run(
        `fetch('${scheme}://127.0.0.1:${web.port}/', { mode: 'no-cors' }).then(() => 'answered', () => 'failed')`,
      );
    expect(await ask('http')).toBe('answered'); // By the forwarder, which says that it cannot.
    expect(await ask('https')).toBe('failed');
    expect(web.requests).toEqual([]);
    const { port } = squid;
    const proxy = { scheme: 'http', host: 'localhost', port, addresses: ['127.0.0.1'] } as const;
    prepared.forwarder.bind(new Upstream(proxy, 5000));
    expect(await ask('http')).toBe('answered');
    expect(web.requests).toHaveLength(1);
    expect(() => prepared.forwarder.bind(new Upstream(proxy, 5000))).toThrow();
  },
);
