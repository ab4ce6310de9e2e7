import fc from 'fast-check';
import { quick } from './quick-time.ts';
import type { Cut } from './wire.ts';

/** What happens in a run, all of it drawn from the seed. When it meets what is up to the machine. */
export interface Plan {
  seed: number;
  /** Creates that are done before all else, so that there are sessions when the first fault comes. */
  firstCreates: number;
  /** What clients do, one after the other begun, none awaited. */
  steps: Step[];
  faults: Fault[];
}

export interface Step {
  afterMs: number;
  gateway: number;
  /** Among the sessions that the client knows. */
  pick: number;
  does: 'create' | 'create short-lived' | 'close' | 'reconnect' | 'status' | 'crash' | 'transfer';
}

export interface Fault {
  atMs: number;
  lastsMs: number;
  which: number;
  does:
    | 'kill gateway'
    | 'restart gateway'
    | 'kill host'
    | 'pause host'
    | 'cut host'
    | 'stop postgres'
    | 'freeze postgres';
  cut: Cut;
}

const step = fc.record({
  afterMs: fc.integer({ min: 0, max: 300 }),
  gateway: fc.nat(100),
  pick: fc.nat(1000),
  does: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Step['does']>('create') },
    { weight: 2, arbitrary: fc.constant<Step['does']>('create short-lived') },
    { weight: 6, arbitrary: fc.constant<Step['does']>('close') },
    { weight: 2, arbitrary: fc.constant<Step['does']>('reconnect') },
    { weight: 3, arbitrary: fc.constant<Step['does']>('status') },
    { weight: 1, arbitrary: fc.constant<Step['does']>('crash') },
    { weight: 2, arbitrary: fc.constant<Step['does']>('transfer') },
  ),
});

const fault = fc.record({
  atMs: fc.integer({ min: 0, max: 3500 }),
  // Within the lease, or past it.
  lastsMs: fc.oneof(
    fc.integer({ min: 50, max: quick.leaseMs / 2 }),
    fc.integer({ min: quick.leaseMs + 1000, max: quick.leaseMs * 2 + 600 }),
  ),
  which: fc.nat(100),
  does: fc.constantFrom<Fault['does']>(
    'kill gateway',
    'restart gateway',
    'kill host',
    'pause host',
    'cut host',
    'stop postgres',
  ),
  cut: fc.constantFrom<Cut>('hang', 'reset'),
});

const plan = fc.record({
  steps: fc.array(step, { minLength: 20, maxLength: 45, size: 'max' }),
  faults: fc.array(fault, { minLength: 1, maxLength: 3 }),
});

export function planOf(seed: number): Plan {
  const [drawn] = fc.sample(plan, { seed, numRuns: 1 });
  if (!drawn) throw new Error('no plan');
  return { seed, firstCreates: 4, ...drawn };
}

export function describePlan({ seed, steps, faults }: Plan): string {
  const troubles = faults.map(
    ({ does, which, atMs, lastsMs }) => `${does} ${which % 3} at ${atMs} for ${lastsMs} ms`,
  );
  return `seed ${seed}: ${steps.length} steps; ${troubles.join(', ')}`;
}
