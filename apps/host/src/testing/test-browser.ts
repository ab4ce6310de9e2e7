import type { Protocol } from 'devtools-protocol';
import { pino } from 'pino';
import type { Browser } from '../chromium/browser.ts';
import { readHostConfig } from '../config.ts';
import type { Forwarder } from '../forwarder/forwarder.ts';
import { prepareBrowser } from '../pool/prepared-browser.ts';
import { UserIds } from '../pool/user-ids.ts';
import { usualStart } from '../profile/plan-start.ts';
import { Sandboxes } from '../sandbox/sandboxes.ts';
import { createTestSwitchboard } from './test-switchboard.ts';

/** For tests only: a browser without a profile and without a proxy, and its first page. */
export interface TestBrowser extends AsyncDisposable {
  browser: Browser;
  forwarder: Forwarder;
  targetId: string;
  cdpSessionId: string;
  /** Runs a script in the page. */
  run(expression: string): Promise<Protocol.Runtime.RemoteObject['value']>;
}

export async function startTestBrowser({ headless }: { headless: boolean }): Promise<TestBrowser> {
  await using undo = new AsyncDisposableStack();
  const config = readHostConfig({});
  const sandboxes = new Sandboxes(config, pino({ level: 'silent' }));
  await sandboxes.prepare();
  undo.defer(() => sandboxes.close());
  const switchboard = createTestSwitchboard();
  undo.defer(() => switchboard.close());
  const userIds = new UserIds(process.getuid?.() === 0 ? config.uidBase : undefined);
  const options = { ...config, sandboxes, switchboard, userIds };
  const start = usualStart(headless, '156.0.0.0');
  const { browser, forwarder } = undo.use(await prepareBrowser(start, options, new AbortController().signal));
  const { controller } = browser;
  const { targetInfos } = await controller.call('Target.getTargets', {});
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? '';
  const attached = await controller.call('Target.attachToTarget', { targetId, flatten: true });
  const cdpSessionId = attached.sessionId;
  controller.sessions.add(cdpSessionId);
  const run = async (expression: string) => {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result } = await controller.call('Runtime.evaluate', params, { cdpSessionId });
    return result.value;
  };
  const all = undo.move();
  return {
    browser,
    forwarder,
    targetId,
    cdpSessionId,
    run,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
