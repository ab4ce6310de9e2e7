import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { attachedTarget, ScriptedBrowser } from '../testing/scripted-browser.ts';
import type { ClientSession } from './client-sessions.ts';
import { runForClient } from './run-for-client.ts';
import type { Targets } from './targets.ts';

let browser: ScriptedBrowser;
let targets: Targets;

beforeEach(() => {
  browser = new ScriptedBrowser();
  ({ targets } = browser);
  targets.clients.connected(1, 'root', undefined);
});

/** Lets the browser answer, and what waits for that. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

function clientAttaches(
  sessionId: string,
  targetId: string,
  type: string,
  { isStopped = true, parent = 'root', clientId = 1 } = {},
): ClientSession {
  targets.clients.attached(clientId, attachedTarget({ sessionId, targetId, type, isStopped }), parent);
  return targets.clients.get(sessionId) as ClientSession;
}

describe('a new target', () => {
  test('is told what listeners send, in their order, and then runs', async () => {
    targets.on('attached', (target) => void targets.send(target, ['Network.enable', {}]));
    targets.prependListener('attached', (target) => targets.attachThrough(target, { serviceWorkers: false }));
    browser.attach({ targetId: 'page' });
    expect(targets.get('page')).toMatchObject({ state: 'stopped', cdpSessionId: 'Spage', tab: 1 });
    await settle();
    const order = ['Target.setAutoAttach', 'Network.enable', 'Runtime.runIfWaitingForDebugger'];
    expect(browser.methodsOf('Spage')).toEqual(order);
    expect(targets.get('page')?.state).toBe('running');
  });

  test('of a type that has no profile is only resumed', async () => {
    targets.on('attached', () => expect.unreachable());
    browser.attach({ targetId: 'worklet', type: 'worklet' });
    await settle();
    expect(browser.resumed).toEqual(['Sworklet']);
    expect(targets.get('worklet')).toBeUndefined();
  });

  test('belongs to the tab through which it was found', () => {
    browser.attach({ targetId: 'first' });
    browser.attach({ targetId: 'second' });
    browser.attach({ targetId: 'frame', type: 'iframe', parent: 'Ssecond' });
    browser.attach({ targetId: 'worker', type: 'worker', parent: 'Sframe' });
    browser.attach({ targetId: 'service worker', type: 'service_worker' });
    const tabs = ['first', 'second', 'frame', 'worker', 'service worker'].map((id) => targets.get(id)?.tab);
    expect(tabs).toEqual([1, 2, 2, 2, undefined]);
  });

  test('that a client connects to is no new one', () => {
    browser.attach({ targetId: 'page' });
    browser.attach({ targetId: 'page', sessionId: 'of the client', isStopped: false });
    browser.attach({ targetId: 'browser', type: 'browser', isStopped: false });
    expect(targets.size).toMatchObject({ targets: 1, sessions: 1 });
  });
});

describe('stopped targets', () => {
  test('are kept stopped until the last client that keeps them so lets go', async () => {
    browser.attach({ targetId: 'worker', type: 'worker' });
    browser.attach({ targetId: 'page' });
    for (const id of ['A', 'B']) clientAttaches(id, 'worker', 'worker');
    clientAttaches('T', 'tab', 'tab');
    targets.clientsDetached(['A']);
    await settle();
    expect(browser.resumed).toEqual([]);
    targets.clientsDetached(['B']);
    await settle();
    expect(browser.resumed).toEqual(['Sworker']);
    targets.clientsDetached(['T']);
    await settle();
    expect(browser.resumed).toEqual(['Sworker', 'Spage']);
  });

  test("run with the client's command first, so that it is answered before they do anything", async () => {
    browser.attach({ targetId: 'popup' });
    const session = clientAttaches('A', 'popup', 'page');
    await settle();
    runForClient(targets, session, {
      pass: () => browser.sent.push({ id: 0, method: 'passed', params: {} }),
    });
    const methods = browser.sent.map(({ method }) => method);
    expect(methods.slice(-2)).toEqual(['passed', 'Runtime.runIfWaitingForDebugger']);
  });

  test('that are workers run when they have answered what they were sent', async () => {
    const applied = Promise.withResolvers<void>();
    targets.on('attached', (target) => {
      target.applying = applied.promise;
    });
    const session = clientAttaches('A', 'worker', 'worker');
    let isPassed = false;
    runForClient(targets, session, {
      pass: () => {
        isPassed = true;
      },
    });
    browser.attach({ targetId: 'worker', type: 'worker' });
    await settle();
    expect(isPassed).toBe(false);
    applied.resolve();
    await settle();
    expect(isPassed).toBe(true);
    expect(browser.resumed).toEqual(['Sworker']);
  });

  test('are not kept by a client that had disconnected when it was told of them', async () => {
    browser.attach({ targetId: 'popup' });
    const gone = targets.clients.disconnected(1, 'root');
    clientAttaches('A', 'popup', 'page');
    targets.clientsDetached([...gone, 'root']);
    await settle();
    expect(browser.resumed).toEqual(['Spopup']);
    expect(targets.size.clients).toBe(0);
  });
});

describe('a service worker', () => {
  const report = (status: string, runningStatus: string) =>
    browser.say(
      'ServiceWorker.workerVersionUpdated',
      { versions: [{ targetId: 'worker', status, runningStatus }] },
      'Spage',
    );
  const sentTo = (method: string) => browser.sent.filter((command) => command.method === method).length;

  beforeEach(async () => {
    browser.attach({ targetId: 'page' });
    browser.attach({ targetId: 'worker', type: 'service_worker' });
    await settle();
  });

  test('that was unregistered is left when no client is attached to it', () => {
    expect(browser.methodsOf('Spage')).toContain('ServiceWorker.enable');
    clientAttaches('A', 'worker', 'service_worker', { isStopped: false });
    report('redundant', 'running');
    expect(targets.get('worker')?.state).toBe('over');
    targets.clientsDetached(['A']);
    expect(targets.get('worker')?.state).toBe('left');
    report('redundant', 'stopped');
    expect(sentTo('Target.detachFromTarget')).toBe(1);
  });

  test('that a client closes while it only starts is closed again when it runs', () => {
    targets.clientCloses('worker');
    report('activated', 'starting');
    expect(sentTo('Target.closeTarget')).toBe(0);
    report('activated', 'running');
    expect(sentTo('Target.closeTarget')).toBe(1);
    report('activated', 'stopped');
    report('activated', 'running');
    expect(sentTo('Target.closeTarget')).toBe(1);
  });

  test('that stopped and starts again is stopped, and kept so by the clients that it has', async () => {
    const session = clientAttaches('A', 'worker', 'service_worker', { isStopped: false });
    const restarted = vi.fn();
    targets.on('restarted', restarted);
    browser.say('Inspector.targetCrashed', {}, 'Sworker');
    expect(targets.get('worker')?.state).toBe('over');
    browser.say('Inspector.targetReloadedAfterCrash', {}, 'Sworker');
    await settle();
    expect(restarted).toHaveBeenCalledOnce();
    expect([targets.get('worker')?.state, session.keepsStopped]).toEqual(['stopped', true]);
    targets.clientResumes(session, () => {});
    expect(targets.get('worker')?.state).toBe('running');
  });

  test('that a page announces starts when the client has detached, or after half a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    clientAttaches('P', 'page', 'page', { isStopped: false });
    const session = clientAttaches('A', 'worker', 'service_worker', { parent: 'P' });
    const before = browser.resumed.length;
    const answer = vi.fn(() => true);
    runForClient(targets, session, { pass: () => expect.unreachable(), answer });
    expect(answer).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(499);
    expect(browser.resumed).toHaveLength(before);
    vi.advanceTimersByTime(1);
    expect(browser.resumed.slice(before)).toEqual(['A']);
  });
});

test('the end of the CDP session of a connection is told with its client', () => {
  const ended = vi.fn();
  targets.on('rootDetached', ended);
  browser.detach('another');
  browser.detach('root');
  targets.clients.disconnected(1, 'root');
  browser.detach('root');
  expect(ended.mock.calls).toEqual([[1]]);
});

// Page calls are a client of the session, as others are.
test('nobody else listens to the Target domain of a session', () => {
  const src = join(import.meta.dirname, '..');
  const listening = globSync('**/*.ts', { cwd: src }).filter(
    (file) =>
      !/^(?:targets|chromium|testing|page)\/|\.test\.ts$/.test(file) &&
      /\.on(?:ce)?\(\s*'Target\./.test(readFileSync(join(src, file), 'utf8')),
  );
  expect(listening).toEqual([]);
});
