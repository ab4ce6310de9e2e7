import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Seat, Seats } from './seats.ts';

const never = new AbortController().signal;

it('a seat whose browser is ending can be taken, and is ready when that has ended', async () => {
  const seats = new Seats(1);
  await seats.take()?.ready(never);
  const cleared = Promise.withResolvers<void>();
  seats.release(cleared.promise);
  expect(seats.count).toEqual({ total: 1, used: 0 });
  const seat = seats.take();
  expect(seats.take()).toBeUndefined();
  let sits = false;
  const sitting = seat?.ready(never).then(() => {
    sits = true;
  });
  await new Promise(setImmediate);
  expect(sits).toBe(false);
  cleared.resolve();
  await sitting;
});

it('whoever stops waiting for a seat releases it', async () => {
  const seats = new Seats(1);
  await seats.take()?.ready(never);
  const cleared = Promise.withResolvers<void>();
  seats.release(cleared.promise);
  await expect(seats.take()?.ready(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  seats.release();
  const next = seats.take()?.ready(never);
  cleared.resolve();
  await next;
  expect(seats.count.used).toBe(1);
});

it('never has more browsers than seats, and nobody waits without need', async () => {
  const step = fc.constantFrom('take', 'end', 'clear', 'give up');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (total, steps) => {
        const seats = new Seats(total);
        const waiting: { seat: Seat; gaveUp: AbortController }[] = [];
        const clearing: PromiseWithResolvers<void>[] = [];
        let sitting = 0;
        for (const name of steps) {
          if (name === 'take') {
            const seat = seats.take();
            expect(seat === undefined).toBe(sitting + waiting.length === total);
            if (!seat) continue;
            const one = { seat, gaveUp: new AbortController() };
            waiting.push(one);
            seat.ready(one.gaveUp.signal).then(
              () => {
                waiting.splice(waiting.indexOf(one), 1);
                sitting += 1;
              },
              () => seats.release(),
            );
          } else if (name === 'end' && sitting > 0) {
            sitting -= 1;
            const cleared = Promise.withResolvers<void>();
            clearing.push(cleared);
            seats.release(cleared.promise);
          } else if (name === 'clear') clearing.shift()?.resolve();
          else if (name === 'give up') waiting.shift()?.gaveUp.abort();
          await new Promise(setImmediate);
          expect(sitting + clearing.length).toBeLessThanOrEqual(total);
          if (waiting.length > 0) expect(sitting + clearing.length).toBe(total);
        }
      },
    ),
  );
});
