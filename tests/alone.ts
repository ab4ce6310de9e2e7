/** Test files that measure time, memory or load, or fill the machine: nothing else runs beside them. */
export const alone = [
  'apps/host/src/pool/start-burst.all.test.ts',
  'tests/faults/faults.matrix.test.ts',
  'tests/fuzz/fuzz.all.test.ts',
  'tests/isolation/*.all.test.ts',
  'tests/load/*.all.test.ts',
];
