import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { operatingSystemNames } from '../parts/values/figures.ts';
import type { StatusName } from '../parts/values/status.tsx';

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

/** Whether a session was created with `record=true`. Its recording may have expired since. */
export const isRecorded = ({ browserParams }: Pick<SessionRowView, 'browserParams'>): boolean =>
  (browserParams as { record?: unknown }).record === true;

interface RecordedParams {
  profile?: unknown;
  savedProfile?: string;
  proxy?: string;
  proxyName?: string;
  proxyPool?: string;
}

/** Parameters of a create like this one: a record has the device as `profile`, and names of what was saved apart. */
export function createParams(params: object): object {
  const { profile: _device, savedProfile, proxyName, proxyPool, ...rest } = params as RecordedParams;
  const proxy = proxyPool ? `pool:${proxyPool}` : proxyName && `name:${proxyName}`;
  return { ...rest, ...(proxy && { proxy }), ...(savedProfile && { profile: savedProfile }) };
}

/** The proxy of a session, by its name if it was saved. */
export function proxyText(params: object): string {
  const { proxy = '–', proxyName, proxyPool } = params as RecordedParams;
  if (!proxyName) return proxy;
  return `name:${proxyName}${proxyPool ? ` of pool:${proxyPool}` : ''}, ${proxy}`;
}

/** `12 images, 3 ads`; `None` where nothing was refused yet. */
export function refusedText(refused: NonNullable<SessionRowView['refusedRequests']>): string {
  const counted = Object.entries(refused).filter(([, count]) => count > 0);
  return counted.length === 0
    ? 'None'
    : counted.map(([kind, count]) => `${count.toLocaleString('en-US')} ${kind}`).join(', ');
}

const reasons: Readonly<Record<string, string>> = {
  client_close: 'closed by the account',
  lifetime: 'lifetime reached',
  browser_closed: 'closed by its client',
  browser_crashed: 'browser crashed',
  out_of_memory: 'out of memory',
  stalled: 'held up the host',
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

/** What the state says already, as it is shown. */
const usualEnds: readonly (string | null)[] = ['client_close', 'lifetime', 'browser_closed'];

/** For lists: only where the state alone does not say it. */
export const unusualEndText = (ending: Ending): string | undefined =>
  usualEnds.includes(ending.endReason) ? undefined : endReasonText(ending);

/** The state as people see it: a client that quits its browser has lost nothing, though the state is DEAD. */
export const shownState = ({
  status,
  endReason,
}: Pick<SessionRowView, 'status' | 'endReason'>): StatusName =>
  endReason === 'browser_closed' ? 'closedByClient' : status;
