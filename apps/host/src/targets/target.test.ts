import { expect, it } from 'vitest';
import { changeTarget, type Target, type TargetEvent, type TargetState } from './target.ts';

const after = (...events: TargetEvent[]): TargetState => {
  const target = { state: 'stopped' } as Target;
  for (const event of events) changeTarget(target, event);
  return target.state;
};

it.each([
  ['a target that was resumed runs', ['resume'], 'running'],
  ['a service worker that stopped is over', ['resume', 'finish'], 'over'],
  ['one that is closed before it runs is over too', ['finish'], 'over'],
  ['one that is over is not made to run', ['finish', 'resume'], 'over'],
  ['one that starts again is stopped', ['finish', 'restart'], 'stopped'],
  ['one that runs is not left', ['resume', 'leave'], 'running'],
  ['one that the host has left does not start again for it', ['finish', 'leave', 'restart'], 'left'],
  ['what is gone stays so', ['detach', 'restart', 'resume', 'finish'], 'gone'],
] as [string, TargetEvent[], TargetState][])('%s', (_name, events, state) => {
  expect(after(...events)).toBe(state);
});

it.each([[], ['resume'], ['finish'], ['finish', 'leave']] as TargetEvent[][])(
  'a target goes from every state, once',
  (...events) => {
    const target = { state: after(...events) } as Target;
    expect([changeTarget(target, 'detach'), changeTarget(target, 'detach')]).toEqual([true, false]);
  },
);
