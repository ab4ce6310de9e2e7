import type { Refusals } from '@turnpike/contract/traffic';
import type { AccountTraffic, SessionTraffic } from '@turnpike/contract/traffic-answers';
import type { FastifyReply } from 'fastify';
import { type CsvValue, sendCsvRows } from '../http/answers/csv.ts';

/** Traffic as lines of a CSV file. The line without a host has all other destinations. */

const useColumns = ['requests', 'tunnels', 'bytes_up', 'bytes_down', 'refused'];
export const sessionTrafficHeader = ['host', 'port', ...useColumns, 'first_used', 'last_used', 'proxy'];
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

export function sendSessionTraffic(
  reply: FastifyReply,
  { browserId, destinations, other, proxies }: SessionTraffic,
): FastifyReply {
  const only = proxies.length === 1 ? proxies[0]?.proxy : undefined;
  const named = destinations.map((use) => [
    ...[use.host, use.port, ...useValues(use), use.firstAt, use.lastAt],
    use.proxy ?? only ?? null,
  ]);
  const rest = [null, null, ...useValues(other), null, null, only ?? null];
  return sendCsvRows(reply, `${browserId}-traffic.csv`, sessionTrafficHeader, [[...named, rest]]);
}

export function sendAccountTraffic(reply: FastifyReply, { from, to, days }: AccountTraffic): FastifyReply {
  return sendCsvRows(reply, `traffic-${from}-${to}.csv`, accountTrafficHeader, days.values().map(rowsOfDay));
}

const rowsOfDay = ({ date, destinations, other }: AccountTraffic['days'][number]): CsvValue[][] => [
  ...destinations.map((use) => [date, use.host, use.port, ...useValues(use)]),
  [date, null, null, ...useValues(other)],
];
