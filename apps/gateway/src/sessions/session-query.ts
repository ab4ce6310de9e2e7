import { HistoryQuery } from '@turnpike/contract/dashboard/account-pages';
import { OperatorSessionsQuery } from '@turnpike/contract/dashboard/operator-pages';
import { Type } from 'typebox';
import { parsePage } from '../http/page-query.ts';
import { parseWith } from '../http/parse-with.ts';
import type { SessionFilter } from './session-store.ts';

const Filters = Type.Omit(HistoryQuery, ['limit', 'cursor']);
const OperatorFilters = Type.Omit(OperatorSessionsQuery, ['limit', 'cursor']);

/** Parses a query for an account's own sessions. */
export function parseHistoryQuery(query: unknown, accountId: string): SessionFilter {
  const { status, text, tag, from, to } = parseWith(Filters, query);
  return { ...parsePage(query), ...times(from, to), ...given({ status, text, tag }), accountId };
}

/** Parses an operator's query for the sessions of all accounts. */
export function parseOperatorQuery(query: unknown): SessionFilter {
  const { status, text, tag, from, to, account, host } = parseWith(OperatorFilters, query);
  return {
    ...parsePage(query),
    ...times(from, to),
    ...given({ status, text, tag, host, accountId: account }),
  };
}

function times(from: string | undefined, to: string | undefined): { from?: number; to?: number } {
  return given({ from: from && Date.parse(from), to: to && Date.parse(to) }) as {
    from?: number;
    to?: number;
  };
}

/** Drops members that are undefined. */
function given<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
