import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { operatingSystemNames } from '../parts/figures.ts';

/** The device of a session, for lists. */
export function deviceText({
  browserParams,
  viewer,
}: Pick<SessionRowView, 'browserParams' | 'viewer'>): string {
  const { os, headless } = browserParams as { os?: string; headless?: boolean };
  const name = operatingSystemNames[os ?? ''] ?? os ?? 'Browser';
  if (headless) return `${name}, headless`;
  return viewer ? `${name}, live view` : name;
}

const reasons: Readonly<Record<string, string>> = {
  client_close: 'closed by the account',
  lifetime: 'lifetime reached',
  browser_closed: 'closed from inside the browser',
  browser_crashed: 'browser crashed',
  out_of_memory: 'out of memory',
  host_stopped: 'host shut down',
  host_lost: 'host lost',
  operator: 'closed by the operator',
  idle: 'idle timeout',
};

type Ending = Pick<SessionRowView, 'endReason' | 'endSignal'>;

/** Why a session ended; undefined while it runs. */
export function endReasonText({ endReason, endSignal }: Ending): string | undefined {
  if (!endReason) return undefined;
  const text = reasons[endReason] ?? endReason.replaceAll('_', ' ');
  return endSignal ? `${text} (${endSignal})` : text;
}

/** For lists: only where the state alone does not say it. */
export const unusualEndText = (ending: Ending): string | undefined =>
  ending.endReason === 'client_close' || ending.endReason === 'lifetime' ? undefined : endReasonText(ending);
