import { expect, it } from 'vitest';
import { Demand } from './demand.ts';

const start = (userAgent: string) => ({
  headless: true,
  os: 'windows' as const,
  userAgent,
  uiLanguage: undefined,
  pixelRatio: 1,
});
const names = (demand: Demand, count: number) =>
  demand
    .share(count)
    .map(({ userAgent }) => userAgent)
    .sort();

it('wants the usual until something else is asked for often', () => {
  const demand = new Demand(start('windows'));
  expect(names(demand, 2)).toEqual(['windows', 'windows']);
  demand.asked(start('linux'));
  expect(names(demand, 4)).toEqual(['windows', 'windows', 'windows', 'windows']);
  for (let times = 0; times < 3; times++) demand.asked(start('linux'));
  expect(names(demand, 4)).toEqual(['linux', 'windows', 'windows', 'windows']);
  expect(names(demand, 1)).toEqual(['windows']);
  for (let times = 0; times < 8; times++) demand.asked(start('linux'));
  expect(names(demand, 1)).toEqual(['linux']);
  expect(names(demand, 4)).toEqual(['linux', 'linux', 'linux', 'windows']);
});

it('wants none where none are to wait', () => {
  expect(new Demand(start('windows')).share(0)).toEqual([]);
});
