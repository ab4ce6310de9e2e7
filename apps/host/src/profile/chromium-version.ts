import { seenVersions } from './device.ts';

/** The version that a profile claims. */
export interface ClaimedVersion {
  major: number;
  full: string;
}

/** Between two majors lie about this many builds. */
const buildsPerMajor = 50;

/** The running version where the range has it, otherwise the nearest in the range. */
export function claimVersion(running: string, { min = 1, max = 999 }: { min?: number; max?: number }) {
  const major = Math.min(Math.max(majorOf(running), min), max);
  return { major, full: fullVersion(major, running) } satisfies ClaimedVersion;
}

export const majorOf = (version: string): number => Number.parseInt(version, 10);

/** One that was seen, or one that could have been. */
function fullVersion(major: number, running: string): string {
  const known: Readonly<Record<string, string>> = { ...seenVersions, [majorOf(running)]: running };
  const exact = known[major];
  if (exact) return exact;
  const nearest = Object.keys(known)
    .map(Number)
    .reduce((best, candidate) => (Math.abs(candidate - major) < Math.abs(best - major) ? candidate : best));
  const [, , build = '0', patch = '0'] = (known[nearest] ?? running).split('.');
  return `${major}.0.${Math.max(1, Number(build) + (major - nearest) * buildsPerMajor)}.${patch}`;
}
