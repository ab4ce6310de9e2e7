import type { Device, SessionDetail, SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { isoOrNull } from '../http/iso.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SessionRow } from '../store/tables.ts';
import { cdpUrl, presentRecord, protocolUrl, vncUrl } from './present-session.ts';

/** What the gateway itself put into a session's metadata. */
interface Facts {
  chromiumVersion?: string;
  exitIp?: string;
  exitCountry?: string;
}

const factsOf = (session: SessionRow): Facts => readStoredJson(session.metadata).turnpike ?? {};

export function presentRow(session: SessionRow, now: number): SessionRowView {
  return {
    ...presentRecord(session, now),
    exitCountry: factsOf(session).exitCountry ?? null,
    viewer: session.viewer === 1,
    connectedAt: isoOrNull(session.connected_at),
    disconnectedAt: isoOrNull(session.disconnected_at),
  };
}

/** Formats a session for its page. A session that has ended has no URLs. */
export function presentDetail(session: SessionRow, now: number): SessionDetail {
  const runs = session.state === 'ACTIVE';
  const { exitIp, chromiumVersion } = factsOf(session);
  const { profile } = readStoredJson(session.params) as { profile?: Device };
  return {
    ...presentRow(session, now),
    cdpUrl: runs ? cdpUrl(session) : null,
    webdriverUrl: (runs && protocolUrl(session, 'webdriver')) || null,
    vncUrl: (runs && vncUrl(session)) || null,
    device: profile ?? null,
    exitIp: exitIp ?? null,
    host: session.host,
    chromiumVersion: chromiumVersion ?? null,
  };
}
