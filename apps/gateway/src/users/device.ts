import { randomBytes } from 'node:crypto';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { Sealer } from '../secrets/sealer.ts';

/**
 * A browser that has signed in before proves it with a cookie, and has sign-in attempts of its own. Somebody who knows
 * an e-mail address can use up the attempts of strangers, but not those of its owner's browsers (OWASP's "device
 * cookies").
 */

const purpose = 'sign-in device';
const devicePattern = /^([0-9a-f]{32})\.([0-9a-f]{64})$/;

const statement = (email: string, device: string): string => `${hashSecret(email)} ${device}`;

/** Creates the value of the cookie for a browser that has just signed in. */
export function newDevice(sealer: Sealer, email: string): string {
  const device = randomBytes(16).toString('hex');
  return `${device}.${sealer.proof(purpose, statement(email, device)).toString('hex')}`;
}

/** Returns the id of a browser that has signed in with this address before; undefined if it has not. */
export function knownDevice(
  sealer: Sealer,
  email: string,
  presented: string | undefined,
): string | undefined {
  const [, device = '', proof = ''] = devicePattern.exec(presented ?? '') ?? [];
  if (device === '') return undefined;
  return sealer.isProof(proof, purpose, statement(email, device)) ? device : undefined;
}
