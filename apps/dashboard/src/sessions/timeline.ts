import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { duration } from '../parts/values/figures.ts';
import { endReasonText } from './session-text.ts';

export interface Step {
  name: string;
  at: string;
  note?: string;
  /** It has not happened yet. */
  ahead?: boolean;
}

type Lived = Pick<
  SessionRowView,
  'createdAt' | 'connectedAt' | 'disconnectedAt' | 'endedAt' | 'expiresAt' | 'endReason' | 'browserParams'
> &
  Partial<Pick<SessionRowView, 'endSignal'>>;

const ended = { client_close: 'Closed', operator: 'Closed', lifetime: 'Expired' } as const;

/** What happened to a session and when, oldest first, and when it will expire. */
export function timelineOf(session: Lived): Step[] {
  const { createdAt, connectedAt, disconnectedAt, endedAt, expiresAt, endReason, browserParams } = session;
  const begun: Step[] = [{ name: 'Created', at: createdAt }];
  if (connectedAt) begun.push({ name: 'Connected', at: connectedAt, note: 'first client' });
  if (disconnectedAt) begun.push({ name: 'Disconnected', at: disconnectedAt, note: 'last client' });
  if (!endedAt) return [...begun, { name: 'Expires', at: expiresAt, ahead: true }];
  const { idleTimeout } = browserParams as { idleTimeout?: number };
  const lastUsed =
    endReason === 'idle' && idleTimeout
      ? [
          {
            name: 'Last used',
            at: new Date(
              Math.max(Date.parse(createdAt), Date.parse(endedAt) - idleTimeout * 1000),
            ).toISOString(),
            note: `idle for ${duration(idleTimeout)} after this`,
          },
        ]
      : [];
  const name = ended[endReason as keyof typeof ended] ?? 'Ended';
  const note = endReasonText(session);
  // A client may stay connected after it last used the session, or leave before that time is noticed.
  const lived = [...begun, ...lastUsed].sort((a, b) => a.at.localeCompare(b.at));
  return [...lived, { name, at: endedAt, ...(note ? { note } : {}) }];
}
