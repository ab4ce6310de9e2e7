import { describe, expect, it } from 'vitest';
import { StallDetector } from './stall-detector.ts';

/** A thread that is looked at every 250 ms. */
function looks() {
  const detector = new StallDetector();
  let [now, ranMs, awakeMs] = [0, 0, 0];
  return (piece: string, { ran = 250, waited = 0 } = {}) => {
    now += 250;
    ranMs += ran;
    awakeMs += ran + waited;
    const time = { ranMs, awakeMs };
    return detector.isBusy(now, time) ? detector.stalledMs(piece, time) : undefined;
  };
}

describe('StallDetector', () => {
  it('finds a thread that has run for a second on one piece of work', () => {
    const look = looks();
    expect([1, 2, 3, 4, 5].map(() => look('a'))).toEqual([undefined, undefined, undefined, undefined, 1000]);
  });

  it('finds nothing while the work changes', () => {
    const look = looks();
    for (let i = 0; i < 20; i++) expect(look(`${i >> 1}`)).toBeUndefined();
  });

  it('goes by the time that the thread ran, not by the time that it waited for a processor', () => {
    const look = looks();
    for (let i = 0; i < 9; i++) expect(look('a', { ran: 100, waited: 150 })).toBeUndefined();
    const later = [1, 2, 3].map(() => look('a', { ran: 100, waited: 150 }));
    expect(later.some((ms) => ms !== undefined)).toBe(true);
  });

  it('begins again when the thread has slept', () => {
    const look = looks();
    for (let i = 0; i < 4; i++) look('a');
    expect(look('a', { ran: 10 })).toBeUndefined();
    for (let i = 0; i < 4; i++) expect(look('a')).toBeUndefined();
    expect(look('a')).toBe(1000);
  });
});
