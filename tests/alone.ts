/** Test files that measure time, memory or load, fill the machine, or need that no other host starts: nothing else runs beside them. */
export const alone = [
  'apps/host/src/pool/start-burst.test.ts',
  'tests/faults/faults.test.ts',
  'tests/fidelity/service-workers-on-a-busy-machine.test.ts',
  'tests/fuzz/fuzz.test.ts',
  'tests/isolation/{bombs,host-memory,large-result,orphaned-groups,recording-kills,soak,uploads}.test.ts',
  'tests/load/usage-flood.test.ts',
];
