import { sessionIdPattern } from '@turnpike/contract/ids';
import type { Sealer } from '../secrets/sealer.ts';

/** A token that reads one recording until it expires. It is not stored: the service's key signs it. */

const purpose = 'recording share link';
const tokenPattern = /^(?<id>br_[0-9a-f]+)\.(?<until>\d{1,15})\.(?<proof>[0-9a-f]{64})$/;

export function shareToken(sealer: Sealer, sessionId: string, expiresAt: number): string {
  const said = `${sessionId}.${expiresAt}`;
  return `${said}.${sealer.proof(purpose, said).toString('hex')}`;
}

/** Returns the session whose recording a token reads; undefined if it is forged, or has expired. */
export function readShareToken(sealer: Sealer, token: string, now: number): string | undefined {
  const { id = '', until = '', proof = '' } = tokenPattern.exec(token)?.groups ?? {};
  if (!sessionIdPattern.test(id)) return undefined;
  const isOurs = sealer.isProof(proof, purpose, `${id}.${until}`);
  return isOurs && Number(until) > now ? id : undefined;
}
