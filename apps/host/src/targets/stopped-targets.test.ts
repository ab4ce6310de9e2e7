import { expect, test } from 'vitest';
import type { Controller } from '../chromium/controller.ts';
import { StoppedTargets } from './stopped-targets.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('each target is looked at when something about it has changed, and not with all others', async () => {
  const resumed: unknown[] = [];
  const kept = new Set<string>();
  let looks = 0;
  const call = async (method: string, _params: object, options?: { cdpSessionId: string }) => {
    if (method === 'Runtime.runIfWaitingForDebugger') resumed.push(options?.cdpSessionId);
  };
  const isKeptStopped = (targetId: string) => {
    looks += 1;
    return kept.has(targetId);
  };
  const told: string[] = [];
  const stopped = new StoppedTargets({ call } as unknown as Controller, isKeptStopped, (id) => told.push(id));
  for (let i = 0; i < 500; i++) {
    kept.add(`T${i}`);
    stopped.add(`T${i}`, 'worker', `S${i}`);
    await turn();
  }
  expect(looks).toBe(500);
  for (let i = 0; i < 400; i++) {
    kept.delete(`T${i}`);
    stopped.resumeUnheld([`T${i}`]);
    await turn();
  }
  for (let i = 400; i < 499; i++) stopped.forget(`T${i}`, `S${i}`);
  kept.clear();
  stopped.resumeUnheld();
  await turn();
  expect(looks).toBe(901);
  expect(resumed).toEqual([...Array.from({ length: 400 }, (_, i) => `S${i}`), 'S499']);
  expect(told).toEqual([...Array.from({ length: 400 }, (_, i) => `T${i}`), 'T499']);
});
