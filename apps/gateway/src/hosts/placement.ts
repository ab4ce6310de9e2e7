import type { BrowserHost } from '@turnpike/contract/host';
import { leaseMs } from '@turnpike/contract/host/heartbeat';
import type { HostRow } from '../store/tables.ts';

/** What placement needs to know of a host. */
export interface Candidate
  extends Pick<HostRow, 'boot' | 'region' | 'seats' | 'used' | 'seq' | 'heartbeat_at' | 'state' | 'phase'> {
  host: BrowserHost;
  /** Create parameters that it acts on. */
  abilities: readonly string[];
}

/** Loads that differ by less count as equal, so that gateways with the same data do not all choose the same host. */
const loadStep = 0.1;
/** Hosts that were full a moment ago may have a seat again: so many are tried before a create is refused. */
const maxFull = 3;

export interface PlacementFilter {
  region: string | undefined;
  /** Create parameters that the host must act on. */
  asked: readonly string[];
  now: number;
}

/** Orders hosts for placement: the least loaded first, at random among equals. */
export function placementOrder(
  candidates: readonly Candidate[],
  { asked, ...filter }: PlacementFilter,
  random: () => number = Math.random,
): Candidate[] {
  const able = liveHosts(candidates, filter).filter((candidate) => missing(candidate, asked).length === 0);
  const ranked = able
    .map((candidate) => ({ candidate, load: Math.floor(loadOf(candidate) / loadStep), chance: random() }))
    .sort((a, b) => a.load - b.load || a.chance - b.chance)
    .map(({ candidate }) => candidate);
  const free = ranked.filter(({ used, seats }) => used < seats);
  const full = ranked.filter(({ used, seats }) => used >= seats);
  return [...free, ...full.slice(0, maxFull)];
}

/** What none of the live hosts can do together. Empty: one can do all of it, or none is live. */
export function unableFor(
  candidates: readonly Candidate[],
  { asked, ...filter }: PlacementFilter,
): readonly string[] {
  const lacking = liveHosts(candidates, filter).map((candidate) => missing(candidate, asked));
  return lacking.sort((a, b) => a.length - b.length)[0] ?? [];
}

const missing = ({ abilities }: Candidate, asked: readonly string[]): string[] =>
  asked.filter((name) => !abilities.includes(name));

const liveHosts = (
  candidates: readonly Candidate[],
  { region, now }: Omit<PlacementFilter, 'asked'>,
): Candidate[] => candidates.filter((candidate) => serves(candidate, region) && isLive(candidate, now));

function isLive({ heartbeat_at, state, phase, seats }: Candidate, now: number): boolean {
  return state === 'live' && phase === 'up' && seats > 0 && heartbeat_at > now - leaseMs;
}

const serves = (candidate: Candidate, region: string | undefined): boolean =>
  region === undefined || candidate.region === region;

const loadOf = ({ used, seats }: Candidate): number => used / Math.max(1, seats);
