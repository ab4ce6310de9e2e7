import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { Sealer } from '../secrets/sealer.ts';

/**
 * A browser that has signed in before proves it by a cookie, and has tries of its own: whoever knows somebody's e-mail
 * address can use up the tries of strangers, and not those of that person's browsers (OWASP's "device cookies").
 */

const purpose = 'sign-in device';
const devicePattern = /^([0-9a-f]{32})\.([0-9a-f]{64})$/;

const statement = (email: string, device: string): string => `${hashSecret(email)} ${device}`;

/** For the cookie of a browser that has just signed in. */
export function newDevice(sealer: Sealer, email: string): string {
  const device = randomBytes(16).toString('hex');
  return `${device}.${sealer.proofs(purpose, statement(email, device))[0]}`;
}

/** The id of a browser that has signed in with this address before; undefined: it has not. */
export function knownDevice(
  sealer: Sealer,
  email: string,
  presented: string | undefined,
): string | undefined {
  const [, device = '', proof = ''] = devicePattern.exec(presented ?? '') ?? [];
  if (device === '') return undefined;
  const given = Buffer.from(proof, 'hex');
  const proofs = sealer.proofs(purpose, statement(email, device));
  return proofs.some((each) => timingSafeEqual(Buffer.from(each, 'hex'), given)) ? device : undefined;
}
