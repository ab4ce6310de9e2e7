import { expect } from 'vitest';
import type { CallStep, Outcome, Scenario, ServiceStep } from './scenarios.ts';

export type Driver = (call: CallStep['call'], options: Record<string, unknown>) => Promise<Outcome>;

/** A client under test. Once disposed of, it has nothing left to do. */
export interface ClientDriver extends AsyncDisposable {
  drive: Driver;
}

/** What scenarios may name by `$…`, and what they may have done. */
export interface ServiceHarness {
  known: Record<string, unknown>;
  act(step: ServiceStep): Promise<void>;
}

export async function runScenario(
  scenario: Scenario,
  driver: Driver,
  harness: ServiceHarness,
): Promise<void> {
  const known = { ...harness.known };
  for (const [index, step] of scenario.steps.entries()) {
    const { options = {}, ...filled } = fill(step, known) as CallStep;
    if ('harness' in filled) {
      await harness.act(fill(step, known) as ServiceStep);
      continue;
    }
    const outcome = await driver(filled.call, options);
    expect(outcome, `step ${index}: ${filled.call} ${JSON.stringify(options)}`).toEqual(
      matcher(filled.expect),
    );
    if (filled.save && 'ok' in outcome) known[filled.save] = outcome.ok;
  }
}

/** Puts what is known in the place of `$name` and `$name.member`. */
function fill(value: unknown, known: Record<string, unknown>): unknown {
  if (typeof value === 'string' && value.startsWith('$')) {
    const found = value
      .slice(1)
      .split('.')
      .reduce<unknown>((from, name) => (from as Record<string, unknown> | undefined)?.[name], known);
    if (found === undefined) throw new Error(`the scenario names ${value}, which nobody knows`);
    return found;
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, known)]));
}

/** Objects by their expected members; lists and everything else whole. */
function matcher(expected: unknown): unknown {
  if (Array.isArray(expected)) return expected.map(matcher);
  if (typeof expected !== 'object' || expected === null) return expected;
  const { $match, $length } = expected as { $match?: string; $length?: number };
  if ($match !== undefined)
    return { asymmetricMatch: (found: unknown) => new RegExp($match).test(String(found)) };
  if ($length !== undefined)
    return { asymmetricMatch: (found: unknown) => (found as unknown[])?.length === $length };
  return expect.objectContaining(
    Object.fromEntries(Object.entries(expected).map(([name, member]) => [name, matcher(member)])),
  );
}
