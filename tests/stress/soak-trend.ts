import type { Sample } from './soak-run.ts';

/** Share of the sessions to ignore at first, while caches fill and code is compiled. */
const warmUpPart = 0.2;

/** Values that must be the same after the last session as after the first ones, with the allowed difference. */
const counts = {
  processes: 0,
  // An idle connection of the pool may be open or not.
  descriptors: 2,
  controlGroups: 0,
  mounts: 0,
  temporaryFiles: 0,
} as const satisfies Partial<Record<keyof Sample, number>>;

/** A leaked session costs far more than this. */
const maxHeapKiBPerSession = 3;
const maxResidentMiBPerSession = 0.1;
/** Allowed growth from garbage collection and compilation. */
const heapNoiseKiB = 2048;
const residentNoiseMiB = 48;

/** Returns one sentence for each value that grows with the number of sessions. */
export function trends(samples: readonly Sample[], warm: number): string[] {
  const last = samples.at(-1);
  if (!last) return ['nothing was measured'];
  const settled = samples.filter(({ sessions }) => sessions > 0 && sessions >= last.sessions * warmUpPart);
  const first = settled[0] ?? last;
  const found: string[] = [];
  for (const [name, allowed] of Object.entries(counts) as [keyof typeof counts, number][]) {
    // A warm browser's own processes come and go.
    const slack = name === 'processes' || name === 'descriptors' ? allowed + warm * 8 : allowed;
    const before = Math.max(first[name], samples[0]?.[name] ?? 0);
    if (last[name] > before + slack) found.push(`${name} went from ${before} to ${last[name]}`);
  }
  const sessions = last.sessions - first.sessions;
  const heap = growth(settled, 'heapKiB');
  if (heap > heapNoiseKiB + sessions * maxHeapKiBPerSession) found.push(`the heap grew by ${heap} KiB`);
  const resident = growth(settled, 'residentMiB');
  if (resident > residentNoiseMiB + sessions * maxResidentMiBPerSession) {
    found.push(`resident memory grew by ${resident} MiB`);
  }
  return found;
}

/** Growth from the middle of the first third to the middle of the last. */
function growth(samples: readonly Sample[], name: 'heapKiB' | 'residentMiB'): number {
  const third = Math.max(1, Math.floor(samples.length / 3));
  return median(samples.slice(-third), name) - median(samples.slice(0, third), name);
}

function median(samples: readonly Sample[], name: 'heapKiB' | 'residentMiB'): number {
  const values = samples.map((sample) => sample[name]).sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 0;
}
