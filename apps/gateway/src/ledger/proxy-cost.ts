import type { ProxyUse } from '@turnpike/contract/traffic';

/** What bytes through proxies cost, in millionths of the account's own currency. */

/** Prices are for this many bytes. */
const pricedBytes = 1_000_000_000n;

/** Rounds to the nearest millionth. Products of large prices and byte counts have more digits than a number. */
export function costMicros(priceMicros: number, bytes: number): number {
  return Number((BigInt(priceMicros) * BigInt(bytes) + pricedBytes / 2n) / pricedBytes);
}

type PricedUse = Pick<ProxyUse, 'bytesUp' | 'bytesDown' | 'priceMicros'>;

const bytesOf = ({ bytesUp, bytesDown }: PricedUse): number => bytesUp + bytesDown;

/** Undefined if its price is not known. */
export const costOfUse = (use: PricedUse): number | undefined =>
  use.priceMicros === undefined ? undefined : costMicros(use.priceMicros, bytesOf(use));

/**
 * What a session's proxies cost together, and what its own proxy, the first, would have cost for all bytes. Each is
 * undefined where a price that it needs is not known.
 */
export function sessionCost(proxies: readonly PricedUse[]): { cost?: number; costOfOneProxy?: number } {
  const used = proxies.filter((use) => bytesOf(use) > 0);
  const costs = used.map(costOfUse);
  const [own] = proxies;
  if (!own) return {};
  const bytes = proxies.reduce((sum, use) => sum + bytesOf(use), 0);
  return {
    ...(costs.every((cost) => cost !== undefined) && {
      cost: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    }),
    ...(own.priceMicros !== undefined && { costOfOneProxy: costMicros(own.priceMicros, bytes) }),
  };
}

/** Millionths as a number of the currency, for an answer. */
export const inCurrency = (micros: number | undefined): number | null =>
  micros === undefined ? null : micros / 1_000_000;
