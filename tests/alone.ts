/** Test files that measure time, memory or load, or fill the machine: nothing else runs beside them. */
export const alone = [
  'apps/host/src/pool/start-burst.test.ts',
  'tests/faults/faults.test.ts',
  'tests/fuzz/fuzz.test.ts',
  'tests/isolation/{bombs,host-memory,large-result,recording-kills,soak,uploads}.test.ts',
  'tests/load/usage-flood.test.ts',
];
