// @module-tag slow

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Squid, startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { browserProcesses } from '../testing/browser-processes.ts';
import { newRequest, startTestHost } from '../testing/test-host.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let squid: Squid;

beforeAll(async () => {
  squid = all.use(await startSquid());
});
afterAll(() => all.disposeAsync());

describe.each([
  ['headless', true],
  ['headful', false],
])('%s sessions that are asked for at once', (_name, headless) => {
  const ask = () => newRequest(squid.upstream, { headless });

  it('open one after the other, in the order in which they were asked for', async () => {
    await using running = await startTestHost({ startsAtOnce: 1, seats: 6 });
    const opened: number[] = [];
    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        await running.open({ ...ask(), timeoutMs: 90_000 });
        opened.push(index);
      }),
    );
    expect(opened).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('and cannot open in time are refused before that, and nobody fails', async () => {
    await using running = await startTestHost({ startsAtOnce: 1, seats: 40 });
    const timeoutMs = 8000;
    const startedAt = performance.now();
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () =>
        running.open({ ...ask(), timeoutMs }).then(
          () => ({ code: 'opened', tookMs: 0 }),
          ({ code }) => ({ code, tookMs: performance.now() - startedAt }),
        ),
      ),
    );
    const count = (wanted: string) => outcomes.filter(({ code }) => code === wanted).length;
    expect(count('opened') + count('NO_SEAT')).toBe(40);
    // By what is taken for granted of a start, not half of them can be up in time: those hear it at once.
    const early = outcomes.filter(({ code, tookMs }) => code === 'NO_SEAT' && tookMs < timeoutMs / 2);
    expect(early.length).toBeGreaterThanOrEqual(20);
    expect(browserProcesses()).toHaveLength(count('opened'));
  });
});

it('a session that is given up while it waits for its turn leaves nothing, and the next has its turn', async () => {
  await using running = await startTestHost({ startsAtOnce: 1, seats: 3 });
  const first = running.open(newRequest(squid.upstream));
  const hangUp = new AbortController();
  const second = running.open(newRequest(squid.upstream), hangUp.signal);
  const third = running.open(newRequest(squid.upstream));
  hangUp.abort(new Error('hung up'));
  await expect(second).rejects.toThrow('hung up');
  await Promise.all([first, third]);
  expect(running.host.seats().used).toBe(2);
});

it('a warm browser is taken at once, however many wait for their turn to start', async () => {
  await using running = await startTestHost({
    startsAtOnce: 1,
    seats: 6,
    warm: { headful: 0, headless: 1 },
  });
  await running.host.warmed();
  const order: string[] = [];
  const cold = Array.from({ length: 4 }, () =>
    running.open(newRequest(squid.upstream, { headless: false })).then(() => order.push('cold')),
  );
  const warm = running.open(newRequest(squid.upstream)).then(() => order.push('warm'));
  await Promise.all([...cold, warm]);
  expect(order.indexOf('warm')).toBeLessThan(2);
});
