import { noUse } from '@turnpike/contract/traffic';
import type { Traffic } from '../../apps/gateway/src/ledger/traffic.ts';
import type { SessionRow } from '../../apps/gateway/src/store/tables.ts';
import type { Random } from './random.ts';

const sites = ['shop.example', 'news.example', 'maps.example', 'tickets.example', 'jobs.example'];
const parts = ['www', 'cdn', 'images', 'api', 'fonts', 'video', 'static'];

/** Where the bytes of an ended session went: one site, and a few others that its pages load from. */
export function demoTraffic(random: Random, session: SessionRow): Traffic {
  const site = random.pick(sites);
  const names = [...parts.map((part) => `${part}.${site}`), 'analytics.example', 'ads.example'];
  const shares = names.map(() => random.next() ** 3);
  const sum = shares.reduce((all, share) => all + share, 0);
  const { created_at: firstAt, ended_at, bytes_up, bytes_down } = session;
  const destinations = names.map((host, index) => {
    const share = (shares[index] ?? 0) / sum;
    const isAd = host === 'ads.example' && random.next() < 0.5;
    return {
      ...noUse(),
      host,
      port: 443,
      firstAt,
      lastAt: ended_at ?? firstAt,
      tunnels: random.between(1, 12),
      bytesUp: Math.floor(bytes_up * share),
      bytesDown: Math.floor(bytes_down * share),
      refused: isAd ? { block_hosts: random.between(1, 20) } : {},
    };
  });
  destinations.sort((a, b) => b.bytesUp + b.bytesDown - a.bytesUp - a.bytesDown);
  const rest = (total: number, of: 'bytesUp' | 'bytesDown') =>
    destinations.reduce((left, use) => left - use[of], total);
  return {
    bytesFromCache: random.next() < 0.3 ? random.between(100_000, 4_000_000) : 0,
    maxBytesReached: false,
    destinations,
    other: { ...noUse(), bytesUp: rest(bytes_up, 'bytesUp'), bytesDown: rest(bytes_down, 'bytesDown') },
  };
}
