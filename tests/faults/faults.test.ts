// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { startLocalProxy } from '../live-view/local-proxy.ts';
import { ClusterHarness, hourWrong } from './harness.ts';
import { describePlan, type Plan, planOf } from './plan.ts';
import { runPlan } from './run.ts';

watchLeaks({ wholeFile: true });

/** `npm run faults` has hundreds of these. A failure's name has the seed, for `npm run faults -- --seed N --runs 1`. */
const seed = Date.now() % 1_000_000;

describe('a cluster of stand-in browsers', () => {
  let harness: ClusterHarness;
  beforeAll(async () => {
    harness = await ClusterHarness.start();
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  test.each([planOf(seed)].map((plan) => ({ name: describePlan(plan), plan })))(
    'is in order again after $name',
    async ({ plan }) => {
      expect((await runPlan({ harness, plan })).objections).toEqual([]);
    },
  );
});

describe('a cluster of stand-in browsers whose machines are an hour ahead and an hour behind', () => {
  let harness: ClusterHarness;
  beforeAll(async () => {
    harness = await ClusterHarness.start({ clocksOffMs: hourWrong });
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  test.each([planOf(seed + 2)].map((plan) => ({ name: describePlan(plan), plan })))(
    'is in order again, bills and states exact, after $name',
    async ({ plan }) => {
      expect((await runPlan({ harness, plan })).objections).toEqual([]);
    },
  );
});

describe('a cluster of real browsers', () => {
  const step = { afterMs: 50, gateway: 0, pick: 0 };
  const plan: Plan = {
    seed: 0,
    firstCreates: 2,
    steps: [
      { ...step, does: 'create short-lived', pick: 1 },
      { ...step, afterMs: 500, does: 'status' },
      { ...step, does: 'close' },
      { ...step, does: 'create', gateway: 1 },
      { ...step, afterMs: 500, does: 'reconnect', pick: 1 },
    ],
    faults: [
      { does: 'kill gateway', which: 0, atMs: 100, lastsMs: 100, cut: 'reset' },
      { does: 'kill host', which: 0, atMs: 800, lastsMs: 100, cut: 'reset' },
      { does: 'pause host', which: 1, atMs: 800, lastsMs: 4000, cut: 'reset' },
    ],
  };

  test('is in order again after a gateway and a host were killed and a host was paused past its lease', async () => {
    await using proxy = await startLocalProxy();
    await using harness = await ClusterHarness.start({ hosts: 2, browsers: 'real' });
    const result = await runPlan({ harness, plan, proxy: `http://127.0.0.1:${proxy.proxy.port}`, limit: 3 });
    expect(result.objections).toEqual([]);
    expect(result.sessions).toBeGreaterThanOrEqual(5);
  });
});
