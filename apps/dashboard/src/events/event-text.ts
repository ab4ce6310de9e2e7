import type { Event, EventType } from '@turnpike/contract/events';
import type { EndReason } from '@turnpike/contract/session';
import { duration, hours } from '../parts/values/figures.ts';
import { endReasonText } from '../sessions/session-text.ts';

/** Label of each event; a missing one does not compile. */
export const eventLabels: Readonly<Record<EventType, string>> = {
  'session.started': 'Session started',
  'session.closed': 'Session closed',
  'session.expired': 'Session expired',
  'session.dead': 'Session lost',
  'recording.ready': 'Recording ready',
  'usage.80': '80 % of browser hours used',
  'usage.cap_reached': 'Browser hours used up',
  'crawl.started': 'Crawl started',
  'crawl.progress': 'Crawl in progress',
  'crawl.finished': 'Crawl finished',
  'session.proxy_failed': 'Proxy failed in a session',
  'session.standby': 'Session fell asleep',
  'session.woke': 'Session woke',
  'session.exit_changed': 'Exit address changed in a session',
  'proxy.failing': 'Proxy is failing',
  'proxy.recovered': 'Proxy works again',
  'proxy.exit_changed': 'Exit address changed',
};

interface EventData {
  browserId?: string;
  endReason?: EndReason | null;
  endSignal?: string;
  billedSeconds?: number;
  browserSeconds?: number;
  browserSecondsCap?: number;
  events?: number;
  errors?: number;
  proxy?: string;
  cause?: string;
  failures?: number;
  connections?: number;
  error?: string | null;
  exitIp?: string;
  previousExitIp?: string | null;
}

/** The label of an event: a browser that its client closed is no lost session. */
export const eventLabel = ({ type, data }: Event): string =>
  type === 'session.dead' && (data as EventData).endReason === 'browser_closed'
    ? 'Session closed by its client'
    : eventLabels[type];

export const sessionOf = ({ data }: Event): string | null => (data as EventData).browserId ?? null;

/** What happened, as one line; empty where the label says it all. */
export function eventDetails({ type, data }: Event): string {
  const { endReason = null, endSignal, billedSeconds = 0, ...usage } = data as EventData;
  if (type === 'session.started') return '';
  if (type === 'recording.ready') return `${usage.events ?? 0} events, ${usage.errors ?? 0} errors`;
  if (type === 'usage.80' || type === 'usage.cap_reached') {
    return `${hours(usage.browserSeconds ?? 0)} of ${hours(usage.browserSecondsCap ?? 0)}`;
  }
  if (usage.proxy !== undefined) return proxyDetails(usage);
  const reason = endReasonText({ endReason, ...(endSignal ? { endSignal } : {}) });
  return [reason, `${duration(billedSeconds)} billed`].filter(Boolean).join(', ');
}

function proxyDetails(data: EventData): string {
  const { proxy = '', cause, failures = 0, connections = 0, error, exitIp, previousExitIp } = data;
  if (exitIp) return `${proxy}: ${previousExitIp ? `${previousExitIp}, now ` : ''}${exitIp}`;
  if (cause) return `${proxy}: ${cause}, ${failures} of ${connections} connections failed`;
  return error ? `${proxy}: ${error}` : proxy;
}
