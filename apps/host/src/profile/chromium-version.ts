import seen from './seen-versions.json' with { type: 'json' };

/** A full version of each known major version, from fingerprint-generator's data. */
export const seenVersions: Readonly<Record<string, string>> = seen;

/** The version that a profile claims. */
export interface ClaimedVersion {
  major: number;
  full: string;
}

/** The usual number of builds between two major versions. */
const buildsPerMajor = 50;

/** The running version if it is in the range, otherwise the nearest one. */
export function claimVersion(running: string, { min = 1, max = 999 }: { min?: number; max?: number }) {
  const major = Math.min(Math.max(majorOf(running), min), max);
  return { major, full: fullVersion(major, running) } satisfies ClaimedVersion;
}

export const majorOf = (version: string): number => Number.parseInt(version, 10);

/** A known full version, or a plausible one. */
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
