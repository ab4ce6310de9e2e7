/** Runs measurements interleaved, and returns their medians. */

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export const percentile95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * 0.95))] ??
  Number.NaN;

/** Runs each measurement once a round, in changing order, so that other load on the machine affects all equally. */
export async function inTurns<Name extends string>(
  rounds: number,
  measurements: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(measurements) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (const name of names) await measurements[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names : names.toReversed()) results[name].push(await measurements[name]());
  }
  return results;
}
