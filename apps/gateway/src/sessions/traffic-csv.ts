import type { Refusals } from '@turnpike/contract/traffic';
import type { AccountTraffic, SessionTraffic } from '@turnpike/contract/traffic-answers';
import type { CsvValue } from '../http/csv.ts';

/** Traffic as lines of a CSV file. The line without a host has all other destinations. */

const useColumns = ['requests', 'tunnels', 'bytes_up', 'bytes_down', 'refused'];
export const sessionTrafficHeader = ['host', 'port', ...useColumns, 'first_used', 'last_used'];
export const accountTrafficHeader = ['date', 'host', 'port', ...useColumns];

interface Used {
  requests: number;
  tunnels: number;
  bytesUp: number;
  bytesDown: number;
  refused: Refusals | number;
}

const useValues = ({ requests, tunnels, bytesUp, bytesDown, refused }: Used): CsvValue[] => [
  requests,
  tunnels,
  bytesUp,
  bytesDown,
  typeof refused === 'number' ? refused : Object.values(refused).reduce((sum, count) => sum + count, 0),
];

export function sessionTrafficRows({ destinations, other }: SessionTraffic): CsvValue[][] {
  const named = destinations.map((use) => [use.host, use.port, ...useValues(use), use.firstAt, use.lastAt]);
  return [...named, [null, null, ...useValues(other), null, null]];
}

export function accountTrafficRows({ days }: AccountTraffic): CsvValue[][] {
  return days.flatMap(({ date, destinations, other }) => [
    ...destinations.map((use) => [date, use.host, use.port, ...useValues(use)]),
    [date, null, null, ...useValues(other)],
  ]);
}
