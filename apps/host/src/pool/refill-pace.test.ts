import { beforeEach, describe, expect, it } from 'vitest';
import { RefillPace } from './refill-pace.ts';

let now: number;
let pace: RefillPace;

beforeEach(() => {
  now = 10_000;
  pace = new RefillPace(() => now);
});

it('starts at once while nothing else goes on', () => {
  expect(pace.waitMs(now)).toBe(0);
});

describe('behind creates', () => {
  it('leaves a new session the machine for a moment', () => {
    pace.taken();
    expect(pace.waitMs(now)).toBe(300);
    now += 300;
    expect(pace.waitMs(now)).toBe(0);
  });

  it('waits for browsers that start for sessions, and a moment more', () => {
    const one = pace.coldStart();
    const two = pace.coldStart();
    one[Symbol.dispose]();
    now += 1000;
    expect(pace.waitMs(now)).toBe(300);
    two[Symbol.dispose]();
    expect(pace.waitMs(now)).toBe(300);
    now += 300;
    expect(pace.waitMs(now)).toBe(0);
  });

  it('waits for page calls, but not for one that takes long', () => {
    const long = pace.pageCall();
    now += 1999;
    const short = pace.pageCall();
    expect(pace.waitMs(now)).toBe(300);
    now += 1;
    expect(pace.waitMs(now)).toBe(300);
    short[Symbol.dispose]();
    expect(pace.waitMs(now)).toBe(0);
    long[Symbol.dispose]();
  });

  it('does not wait for ever', () => {
    const wantedSince = now;
    using _start = pace.coldStart();
    now += 1900;
    expect(pace.waitMs(wantedSince)).toBe(100);
    now += 100;
    expect(pace.waitMs(wantedSince)).toBe(0);
  });
});

describe('when starting is of no use', () => {
  it('waits twice as long after each failure, up to a minute', () => {
    const waits = Array.from({ length: 8 }, () => {
      pace.failed();
      return pace.waitMs(now);
    });
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    pace.started();
    expect(pace.waitMs(now)).toBe(0);
  });

  it('tells the first failure from the next, and a success after failures from others', () => {
    expect(pace.started()).toEqual({ afterFailure: false });
    expect([pace.failed(), pace.failed()]).toEqual([{ first: true }, { first: false }]);
    expect(pace.started()).toEqual({ afterFailure: true });
    expect(pace.failed()).toEqual({ first: true });
  });

  it('waits longer when browsers come up and do not last, until one is of use', () => {
    for (let i = 0; i < 3; i++) {
      pace.started();
      pace.died();
    }
    expect(pace.waitMs(now)).toBe(4000);
    pace.taken();
    now += 300;
    expect(pace.waitMs(now)).toBe(0);
  });
});
