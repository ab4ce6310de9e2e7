// @module-tag slow

import { expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { recordingKills } from '../stress/recording-kills-run.ts';

watchLeaks();

test('what was recorded five seconds before its host was killed is there and plays, three times', async () => {
  const rounds = await recordingKills({ rounds: 3, seed: 1 });
  expect(rounds.map(({ failures }) => failures)).toEqual([[], [], []]);
});
