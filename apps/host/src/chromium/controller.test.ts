import { beforeEach, expect, it } from 'vitest';
import { BrowserTimeout, Controller } from './controller.ts';

interface Sent {
  id: number;
  method: string;
  sessionId?: string;
}

let sent: Sent[];
let controller: Controller;

beforeEach(() => {
  sent = [];
  controller = new Controller({ send: (message) => void sent.push(JSON.parse(message)) });
});

function answer({ id, sessionId }: Sent, result: object): void {
  controller.receive(JSON.stringify({ id, result, sessionId }));
}

it('answers reach the calls that they are for', async () => {
  controller.sessions.add('A');
  const first = controller.call('Target.getTargets', {});
  const second = controller.call('Runtime.evaluate', { expression: '1' }, { cdpSessionId: 'A' });
  expect(sent).toMatchObject([{ method: 'Target.getTargets' }, { sessionId: 'A' }]);
  answer(sent[1] as Sent, { result: { type: 'number', value: 1 } });
  answer(sent[0] as Sent, { targetInfos: [] });
  expect(await first).toEqual({ targetInfos: [] });
  expect((await second).result.value).toBe(1);
});

it('a call that is not answered by its deadline rejects', async () => {
  const call = controller.call('Target.getTargets', {}, { timeoutMs: 1 });
  await expect(call).rejects.toBeInstanceOf(BrowserTimeout);
});

it('a call is cancelled by its signal, before and after it was sent', async () => {
  const cancel = new AbortController();
  const call = controller.call('Target.getTargets', {}, { signal: cancel.signal });
  cancel.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await expect(controller.call('Target.getTargets', {}, { signal: cancel.signal })).rejects.toThrow('enough');
  expect(sent).toHaveLength(1);
});

it('what a cancelled call did is undone when its result comes', async () => {
  const undone: string[] = [];
  const call = controller.call(
    'Target.attachToTarget',
    { targetId: 'T' },
    { timeoutMs: 1, undo: ({ sessionId }) => void undone.push(sessionId) },
  );
  await expect(call).rejects.toBeInstanceOf(BrowserTimeout);
  answer(sent[0] as Sent, { sessionId: 'A' });
  answer(sent[0] as Sent, { sessionId: 'A' });
  expect(undone).toEqual(['A']);
});

it('calls of a CDP session reject when it ends, and all calls when the browser is gone', async () => {
  const inSession = controller.call('Page.enable', {}, { cdpSessionId: 'A' });
  const inBrowser = controller.call('Target.getTargets', {});
  controller.sessionEnded('A');
  await expect(inSession).rejects.toThrow('The target is gone');
  controller.close();
  await expect(inBrowser).rejects.toThrow('The browser is gone');
  await expect(controller.call('Target.getTargets', {})).rejects.toThrow('The browser is gone');
});
