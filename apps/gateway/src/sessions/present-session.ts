import { type ProtocolName, protocolNames } from '@turnpike/contract/protocols';
import type { Session, SessionListItem, SessionRecord, SessionStatus } from '@turnpike/contract/session';
import { iso, isoOrNull } from '../http/iso.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SessionRow } from '../store/tables.ts';
import { durationSeconds, standbyMs } from './session.ts';
import { givenLabels, shownLabels } from './session-labels.ts';
import type { ShownSession } from './session-store.ts';

/** Formats a stored session for its owner. */

export const cdpUrl = (session: ShownSession): string => `${session.host_url}/cdp/${session.cdp_id}`;

/** The URL of its files. As secret as the CDP URL. */
export const filesUrl = (session: ShownSession): string =>
  `${httpUrl(session.host_url ?? '')}/cdp/${session.cdp_id}/files`;

const httpUrl = (url: string): string => url.replace(/^ws/, 'http');

/** The URL for clients of another protocol than CDP. As secret as the CDP URL. Undefined if its host has none. */
export function protocolUrl(session: ShownSession, protocol: ProtocolName): string | undefined {
  if (!session.protocols.split(',').includes(protocol)) return undefined;
  const host = session.host_url ?? '';
  return `${protocol === 'webdriver' ? httpUrl(host) : host}/${protocol}/${session.cdp_id}`;
}

function protocolUrls(session: ShownSession): Pick<Session, `${ProtocolName}Url`> {
  const urls = protocolNames.map((name) => [`${name}Url`, protocolUrl(session, name)] as const);
  return Object.fromEntries(urls.filter(([, url]) => url !== undefined));
}

/** What the ledger calls the saved proxy of a session; undefined if it has a URL. */
export function proxyLabel({
  proxy_id,
  params,
}: Pick<SessionRow, 'proxy_id' | 'params'>): string | undefined {
  if (proxy_id === null) return undefined;
  const { proxyName } = readStoredJson(params) as { proxyName?: string };
  return proxyName && `name:${proxyName}`;
}

/** The URL of the live view's page; undefined if there is no viewer. */
export function vncUrl(session: ShownSession): string | undefined {
  if (!session.viewer || !session.host_url) return undefined;
  return `${httpUrl(session.host_url)}/vnc/${session.viewer_token}`;
}

export function presentListItem(session: ShownSession): SessionListItem {
  return {
    browserId: session.id,
    cdpUrl: cdpUrl(session),
    status: session.state as SessionStatus,
    createdAt: iso(session.created_at),
    expiresAt: iso(session.expires_at),
    ...givenLabels(session),
  };
}

/** Writes a `Session` as JSON. What is stored as JSON is copied unchanged. */
export const presentSession = (session: ShownSession): string => withKept(session, presentShown(session));

/** Writes a `CreatedSession` as JSON. */
export const presentCreated = (session: ShownSession): string =>
  withKept(session, { ...presentShown(session), sessionId: session.id, wsEndpoint: cdpUrl(session) });

function presentShown(session: ShownSession): Omit<Session, 'browserParams' | 'metadata'> {
  const viewer = vncUrl(session);
  return {
    ...presentListItem(session),
    ...protocolUrls(session),
    ...(viewer ? { vncUrl: viewer } : {}),
    ...presentStandby(session),
  };
}

function presentStandby({
  state,
  standby_permille,
  standby_since,
}: ShownSession): Pick<Session, 'standby' | 'standbySince'> {
  if (standby_permille === null) return {};
  if (state !== 'ACTIVE' || standby_since === null) return { standby: false };
  return { standby: true, standbySince: iso(standby_since) };
}

function withKept(session: ShownSession, shown: object): string {
  const members = JSON.stringify(shown).slice(1, -1);
  return `{${members},"browserParams":${session.params},"metadata":${session.metadata}}`;
}

export function presentRecord(session: SessionRow, now: number): SessionRecord {
  return {
    browserId: session.id,
    status: session.state as SessionStatus,
    createdAt: iso(session.created_at),
    expiresAt: iso(session.expires_at),
    endedAt: isoOrNull(session.ended_at),
    durationSeconds: durationSeconds(session.created_at, session.ended_at ?? now),
    billedSeconds: session.billed_seconds,
    ...(session.standby_permille === null
      ? {}
      : {
          standbySeconds: Math.floor(standbyMs(session, session.ended_at ?? now) / 1000),
          standbyFactor: session.standby_permille / 1000,
        }),
    endReason: session.state === 'ACTIVE' ? null : session.end_reason,
    ...(session.end_signal ? { endSignal: session.end_signal } : {}),
    bytesUp: session.bytes_up,
    bytesDown: session.bytes_down,
    ...(session.traffic ? { traffic: readStoredJson(session.traffic) } : {}),
    ...(session.savings === null ? {} : readStoredJson(session.savings)),
    ...shownLabels(session),
    browserParams: readStoredJson(session.params),
    metadata: readStoredJson(session.metadata),
  };
}
