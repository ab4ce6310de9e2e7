import { type ProxyFailureCause, type ProxyUse, proxyFailureCauses } from '@turnpike/contract/traffic';

/** What a session's reports say about its proxies that was not known before. */

/** Causes that are the proxy's own. A connection that broke may have been broken by the other side. */
const downCauses: readonly ProxyFailureCause[] = ['unreachable', 'refused', 'timeout', 'tls', 'credentials'];

/** So many connections in a row must have failed for a proxy to count as down. */
const downAfter = 5;

/** What is known of one proxy. */
interface Seen {
  /** Causes that an event has told. */
  told: ProxyFailureCause[];
  /** Connections that had succeeded, and that had failed, when one last succeeded or the proxy was found down. */
  succeeded: number;
  failed: number;
  exit?: string;
  exitChanges: number;
}

/** By the place of the proxy in the session's reports, which does not change. Null: nothing is known. */
export type SeenProxies = (Seen | null)[];

export type ProxyNews = { proxy: string } & (
  | { kind: 'failed'; cause: ProxyFailureCause; failures: number; connections: number }
  | { kind: 'down'; causes: ProxyFailureCause[] }
  | { kind: 'exit'; exit: { ip: string; country?: string }; previous?: string | undefined; isChange: boolean }
);

const unseen: Seen = { told: [], succeeded: 0, failed: 0, exitChanges: 0 };

const sum = (failures: ProxyUse['failures'], causes: readonly ProxyFailureCause[]): number =>
  causes.reduce((all, cause) => all + (failures[cause] ?? 0), 0);

/** Compares a report with what is known. Undefined if it has nothing new, as almost all. */
export function newsOfProxies(
  known: SeenProxies,
  proxies: readonly ProxyUse[],
): { news: ProxyNews[]; seen: SeenProxies } | undefined {
  const compared = proxies.map((use, i) => newsOfProxy(known[i] ?? unseen, use));
  if (compared.every((each) => each === undefined)) return undefined;
  return {
    news: compared.flatMap((each) => each?.news ?? []),
    seen: compared.map((each, i) => each?.seen ?? known[i] ?? null),
  };
}

function newsOfProxy(seen: Seen, use: ProxyUse): { news: ProxyNews[]; seen: Seen } | undefined {
  const failures = newsOfFailures(seen, use);
  const exit = newsOfExit(seen, use);
  if (!failures && !exit) return undefined;
  return {
    news: [...(failures?.news ?? []), ...(exit?.news ?? [])],
    seen: { ...seen, ...failures?.seen, ...exit?.seen },
  };
}

function newsOfFailures(
  { told, ...before }: Seen,
  { proxy, connections, failures }: ProxyUse,
): { news: ProxyNews[]; seen: Pick<Seen, 'told' | 'succeeded' | 'failed'> } | undefined {
  const failed = sum(failures, downCauses);
  const causes = proxyFailureCauses.filter((cause) => failures[cause]);
  const untold = causes.filter((cause) => !told.includes(cause));
  if (failed === before.failed && untold.length === 0) return undefined;
  const news = untold.map((cause): ProxyNews => {
    return { proxy, kind: 'failed', cause, failures: failures[cause] ?? 0, connections };
  });
  const succeeded = connections - sum(failures, proxyFailureCauses);
  const hasSucceeded = succeeded > before.succeeded;
  const isDown = !hasSucceeded && failed - before.failed >= downAfter;
  if (isDown)
    news.push({ proxy, kind: 'down', causes: causes.filter((cause) => downCauses.includes(cause)) });
  const mark = hasSucceeded || isDown ? { succeeded, failed } : before;
  return { news, seen: { told: causes, succeeded: mark.succeeded, failed: mark.failed } };
}

/** Where a proxy comes out is news once, and when it changes. */
function newsOfExit(
  { exit: previous, exitChanges: before }: Seen,
  { proxy, exit, exitChanges = 0 }: ProxyUse,
): { news: ProxyNews[]; seen: Pick<Seen, 'exit' | 'exitChanges'> } | undefined {
  if (!exit || (exit.ip === previous && exitChanges === before)) return undefined;
  const { ip, country } = exit;
  const isChange = exitChanges > before;
  const news = { proxy, exit: { ip, ...(country !== undefined && { country }) }, previous, isChange };
  return { news: [{ kind: 'exit', ...news }], seen: { exit: ip, exitChanges } };
}
